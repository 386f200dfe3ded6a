/* SPDX-License-Identifier: Apache-2.0 */
/* The problem text of one run of a vector case: the types of its `types` line put in for f64. Text
 * alone, nothing of anydnn. */
#ifndef TOOLS_VERIFY_CASES_VEC_TYPES_H
#define TOOLS_VERIFY_CASES_VEC_TYPES_H

/* What a case without a `types` line serves. */
#define VEC_TYPES_DEFAULT "f64 f32 f16 bf16"

/*
 * The text of a run; to be freed, NULL when memory is out. `word` is a word of the `types` line: a
 * floating type for every f64, or ROLE=TYPE,ROLE=TYPE.. for f64 of these operands. The roles in
 * `wide` (blanks between them; may be NULL) become f32 beside f16, bf16 and in lists. With a vector
 * type the layout nchw becomes nchw_vect_c.
 */
char *vec_as_type(const char *problem, const char *word, const char *wide);

#endif
