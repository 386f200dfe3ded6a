/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the problem text of one run of a vector case: replaces f64 by the types of its `types`
 * line. Processes only text and uses nothing of anydnn. */
#ifndef TOOLS_VERIFY_CASES_VEC_TYPES_H
#define TOOLS_VERIFY_CASES_VEC_TYPES_H

/* The types of a case without a `types` line. */
#define VEC_TYPES_DEFAULT "f64 f32 f16 bf16"

/* Returns the text of a run, or NULL if memory is out. The caller frees it. `word` is a word of the
 * `types` line: a floating-point type for every f64, or ROLE=TYPE,ROLE=TYPE.. for the f64 of these
 * operands. The roles in `wide` (separated by blanks; may be NULL) become f32 beside f16, bf16 and
 * in lists. With a vector type, the layout nchw becomes nchw_vect_c. */
char *vec_as_type(const char *problem, const char *word, const char *wide);

#endif
