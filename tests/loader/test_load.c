/* SPDX-License-Identifier: Apache-2.0 */
/* Tests trust, opening and handshake of a backend: one case for each outcome. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/elf.h"
#include "sys/log.h"

/* ------------------------------------------------------------------ trust */

static void a_folder_is_no_backend(void **state)
{
    struct fixture *fixture = *state;

    fixture_folder(fixture, "anydnn_dir.so");
    fixture_fails(fixture, "dir", ADN_LOAD_UNTRUSTED, "is a folder, not a file", NULL);
}

static void a_pipe_is_no_backend(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(mkfifo(fixture_path(fixture, "anydnn_pipe.so"), 0600), 0);
    fixture_fails(fixture, "pipe", ADN_LOAD_UNTRUSTED, "is a FIFO or pipe, not a file", NULL);
}

static void a_dangling_link_is_refused(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(symlink("gone.so", fixture_path(fixture, "anydnn_dangling.so")), 0);
    fixture_fails(fixture, "dangling", ADN_LOAD_UNTRUSTED,
                  "is a link to a file that does not exist", NULL);
}

static void a_link_in_a_circle_is_refused(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(symlink("anydnn_circle.so", fixture_path(fixture, "anydnn_circle.so")), 0);
    fixture_fails(fixture, "circle", ADN_LOAD_UNTRUSTED, "cannot be reached: Too many levels",
                  NULL);
}

static void a_file_that_vanished_is_refused(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_registry(fixture);
    assert_int_equal(unlink(fixture_path(fixture, "anydnn_good_a.so")), 0);
    fixture_fails(fixture, "good_a", ADN_LOAD_UNTRUSTED, "cannot be reached: No such file", NULL);
}

static void a_link_is_followed_to_the_real_file(void **state)
{
    struct fixture *fixture = *state;

    fixture_folder(fixture, "real");
    fixture_copy(fixture, "good_a", "real/file.so");
    assert_int_equal(symlink("real/file.so", fixture_path(fixture, "anydnn_good_a.so")), 0);
    fixture_live(fixture, "good_a");
    assert_true(fixture_mapped(fixture_path(fixture, "real/file.so")));
    assert_false(fixture_mapped(fixture_path(fixture, "anydnn_good_a.so")));
}

static void a_world_writable_file_opens_with_a_warning(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    assert_int_equal(chmod(fixture_path(fixture, "anydnn_good_a.so"), 0777), 0);
    fixture_live(fixture, "good_a");
    assert_int_equal(fixture_count(fixture->log, "warning: "), 1);
    assert_int_equal(
        fixture_count(fixture->log, "is writable by every user (mode 0777): chmod o-w /"), 1);
}

static void a_world_writable_folder_opens_with_a_warning(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    assert_int_equal(chmod(fixture->folder, 0777), 0);
    fixture_live(fixture, "good_a");
    assert_int_equal(
        fixture_count(fixture->log, "in a folder that is writable by every user (mode 0777)"), 1);
}

static void a_group_writable_file_opens_silently(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    assert_int_equal(chmod(fixture_path(fixture, "anydnn_good_a.so"), 0664), 0);
    fixture_live(fixture, "good_a");
    assert_int_equal(fixture_count(fixture->log, ""), 0);
}

/* ------------------------------------------------------------------ opening */

static void a_text_file_is_refused(void **state)
{
    struct fixture *fixture = *state;

    fixture_write(
        fixture, "anydnn_text.so",
        "This is a text, not a shared object, and it is long enough to hold a header of one.\n");
    fixture_fails(fixture, "text", ADN_LOAD_UNOPENED, "invalid ELF header",
                  "is not a shared object", NULL);
}

static void an_empty_file_is_refused(void **state)
{
    struct fixture *fixture = *state;

    fixture_write(fixture, "anydnn_empty.so", "");
    fixture_fails(fixture, "empty", ADN_LOAD_UNOPENED, "file too short",
                  "install the backend again", NULL);
}

/* Returns the end of the mapped bytes. */
static long end_of_segments(const char *path)
{
    struct adn_elf elf;
    ElfW(Phdr) segment;
    uint64_t end = 0;

    assert_int_equal(adn_elf_open(path, &elf), 0);
    for (size_t i = 0; i < elf.header.e_phnum; i++) {
        assert_int_equal(
            adn_elf_read(&elf, &segment, sizeof(segment), elf.header.e_phoff + i * sizeof(segment)),
            0);
        if (segment.p_filesz > 0 && segment.p_offset + segment.p_filesz > end)
            end = segment.p_offset + segment.p_filesz;
    }
    adn_elf_close(&elf);
    return (long)end;
}

static void an_object_for_another_machine_is_refused(void **state)
{
    struct fixture *fixture = *state;
    const char class_64[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64};
    const char class_32[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32};

    fixture_copy_patched(fixture, "good_a", "anydnn_good_a.so", class_64, class_32,
                         sizeof(class_64));
    fixture_fails(fixture, "good_a", ADN_LOAD_UNOPENED, "wrong ELF class",
                  "another kind of machine", NULL);
}

/* The header names a machine other than this one. */
static void an_object_for_a_named_machine_is_refused(void **state)
{
    struct fixture *fixture = *state;
    ElfW(Half) other = adn_elf_own_machine() == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_patch(fixture, "anydnn_good_a.so", offsetof(ElfW(Ehdr), e_machine), &other,
                  sizeof(other));
    fixture_fails(fixture, "good_a", ADN_LOAD_UNOPENED,
                  other == EM_AARCH64 ? "was built for AArch64" : "was built for x86-64",
                  "install the one for this machine", NULL);
}

/* A file truncated anywhere must give a sentence. The dynamic linker would map missing bytes and
 * die of SIGBUS. */
static void a_file_that_was_cut_off_is_refused(void **state)
{
    struct fixture *fixture = *state;
    long size;

    fixture_copy(fixture, "good_a", "whole.so");
    size = end_of_segments(fixture_path(fixture, "whole.so"));
    for (int part = 1; part < 40; part++) {
        fixture_copy(fixture, "good_a", "anydnn_good_a.so");
        assert_int_equal(truncate(fixture_path(fixture, "anydnn_good_a.so"), size * part / 40), 0);
        fixture_registry(fixture);
        unlink(fixture->log);
        adn_log_target(fixture->log);
        fixture_fails(fixture, "good_a", ADN_LOAD_UNOPENED, "file too short",
                      "install the backend again", NULL);
    }
    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    assert_int_equal(truncate(fixture_path(fixture, "anydnn_good_a.so"), size), 0);
    fixture_registry(fixture);
    fixture_live(fixture, "good_a");
}

/* The end of a program header wraps around. */
static void wild_program_headers_are_refused(void **state)
{
    struct fixture *fixture = *state;
    const ElfW(Off) wild = UINT64_MAX - 7;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    fixture_patch(fixture, "anydnn_good_a.so", sizeof(ElfW(Ehdr)) + offsetof(ElfW(Phdr), p_offset),
                  &wild, sizeof(wild));
    fixture_fails(fixture, "good_a", ADN_LOAD_UNOPENED, "file too short", NULL);
}

static void the_file_is_named_before_it_is_opened(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "good_a", "anydnn_good_a.so");
    adn_log_level_set(ADN_LOG_INFO);
    fixture_live(fixture, "good_a");
    assert_int_equal(fixture_count(fixture->log, "info: backend good_a: opening /"), 1);
    assert_int_equal(fixture_count(fixture->log, "info: backend good_a 1.0 opened: /"), 1);
}

static void an_unresolved_symbol_is_refused(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "unresolved", "anydnn_unresolved.so");
    fixture_fails(fixture, "unresolved", ADN_LOAD_UNOPENED,
                  "undefined symbol: anydnn_mock_defined_nowhere", "-Wl,-z,defs", NULL);
    assert_int_equal(fixture_count(fixture->marker, "unresolved"), 0);
}

static void a_missing_dependency_is_named(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy_patched(fixture, "good_a", "anydnn_good_a.so", "libc.so.6", "libq.so.6", 9);
    fixture_fails(fixture, "good_a", ADN_LOAD_UNOPENED, "libq.so.6: cannot open shared object file",
                  "install the missing library", NULL);
    assert_int_equal(fixture_count(fixture->marker, "good_a"), 0);
}

/* ------------------------------------------------------------------ the handshake */

static void a_library_that_is_no_backend_is_refused(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "bare", "anydnn_bare.so");
    fixture_fails(fixture, "bare", ADN_LOAD_ABI,
                  "exports neither anydnn_plugin_abi nor anydnn_plugin_main", NULL);
}

static void symbols_of_a_dependency_do_not_count(void **state)
{
    struct fixture *fixture = *state;

    fixture_copy(fixture, "borrower", "anydnn_borrower.so");
    fixture_fails(fixture, "borrower", ADN_LOAD_ABI,
                  "exports neither anydnn_plugin_abi nor anydnn_plugin_main", NULL);
    assert_true(fixture_mapped("anydnn_leak_a.so"));
    assert_int_equal(fixture_count(fixture->marker, " main"), 0);
}

/* Checks an object whose handshake fails: its constructors ran and nothing else. */
static void refused_before_main(void **state, const char *mock, const char *first,
                                const char *second)
{
    struct fixture *fixture = *state;
    char file[64];

    snprintf(file, sizeof(file), "anydnn_%s.so", mock);
    fixture_copy(fixture, mock, file);
    fixture_fails(fixture, mock, ADN_LOAD_ABI, first, second, NULL);
    assert_int_equal(fixture_count(fixture->marker, " constructor"), 1);
    assert_int_equal(fixture_count(fixture->marker, " main"), 0);
    assert_true(fixture_mapped(fixture_path(fixture, file)));
}

static void main_without_abi_is_refused(void **state)
{
    refused_before_main(state, "noabi", "does not export the data object anydnn_plugin_abi",
                        "ANYDNN_PLUGIN_ABI_INITIALIZER");
}

static void abi_without_main_is_refused(void **state)
{
    refused_before_main(state, "nomain", "no function anydnn_plugin_main", "ANYDNN_PLUGIN_EXPORT");
}

static void an_abi_function_is_refused(void **state)
{
    refused_before_main(state, "abicode", "anydnn_plugin_abi as a function, not as a data object",
                        "ANYDNN_PLUGIN_ABI_INITIALIZER");
}

static void an_abi_object_cut_short_is_refused(void **state)
{
    refused_before_main(state, "abismall", "an anydnn_plugin_abi of 8 bytes, fewer than 24",
                        "ANYDNN_PLUGIN_ABI_INITIALIZER");
}

static void a_wrong_magic_number_is_refused(void **state)
{
    refused_before_main(state, "magic", "0x4b4e4f574e", "instead of 0x6e64796e61");
}

static void a_newer_major_is_refused(void **state)
{
    refused_before_main(state, "major", "was built for plugin ABI 1.", "update libanydnn");
}

static void a_newer_minor_is_refused(void **state)
{
    char sentence[80];

    snprintf(sentence, sizeof sentence,
             "was built for plugin ABI 0.%d, but this library supports 0.%d",
             ANYDNN_PLUGIN_ABI_MINOR + 1, ANYDNN_PLUGIN_ABI_MINOR);
    refused_before_main(state, "newer", sentence, "rebuild the backend");
}

static void an_older_minor_is_refused(void **state)
{
    char sentence[80];

    snprintf(sentence, sizeof sentence,
             "was built for plugin ABI 0.0, but this library supports 0.%d: rebuild",
             ANYDNN_PLUGIN_ABI_MINOR);
    refused_before_main(state, "older", sentence, "this library's plugin.h");
}

static void an_abi_size_of_0_is_refused(void **state)
{
    refused_before_main(state, "size0", "struct_size 0 in anydnn_plugin_abi", "24");
}

static void a_huge_abi_size_is_refused(void **state)
{
    refused_before_main(state, "sizehuge", "struct_size 4294967295 in anydnn_plugin_abi", "24");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_folder_is_no_backend),
        CASE(a_pipe_is_no_backend),
        CASE(a_dangling_link_is_refused),
        CASE(a_link_in_a_circle_is_refused),
        CASE(a_file_that_vanished_is_refused),
        CASE(a_link_is_followed_to_the_real_file),
        CASE(a_world_writable_file_opens_with_a_warning),
        CASE(a_world_writable_folder_opens_with_a_warning),
        CASE(a_group_writable_file_opens_silently),
        CASE(a_text_file_is_refused),
        CASE(an_empty_file_is_refused),
        CASE(an_object_for_another_machine_is_refused),
        CASE(an_object_for_a_named_machine_is_refused),
        CASE(a_file_that_was_cut_off_is_refused),
        CASE(wild_program_headers_are_refused),
        CASE(the_file_is_named_before_it_is_opened),
        CASE(an_unresolved_symbol_is_refused),
        CASE(a_missing_dependency_is_named),
        CASE(a_library_that_is_no_backend_is_refused),
        CASE(symbols_of_a_dependency_do_not_count),
        CASE(main_without_abi_is_refused),
        CASE(abi_without_main_is_refused),
        CASE(an_abi_function_is_refused),
        CASE(an_abi_object_cut_short_is_refused),
        CASE(a_wrong_magic_number_is_refused),
        CASE(a_newer_major_is_refused),
        CASE(a_newer_minor_is_refused),
        CASE(an_older_minor_is_refused),
        CASE(an_abi_size_of_0_is_refused),
        CASE(a_huge_abi_size_is_refused),
    };

    return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
