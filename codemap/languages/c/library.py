"""Functions of the standard library, and of the operating systems that have POSIX; what these and others call.

A header may declare one anew for an old compiler, or have a macro give it another name for one system: such a
definition, under a condition, is not what a call of it means elsewhere.

Source: ISO/IEC 9899:2018, 7 "Library"; IEEE Std 1003.1-2017, "System Interfaces".
"""

from __future__ import annotations

_FUNCTIONS = {
    "ctype.h": (
        "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower "
        "toupper"
    ),
    "math.h": (
        "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh exp exp2 expm1 fabs floor fma fmax "
        "fmin fmod frexp hypot ldexp log log10 log1p log2 lrint lround modf nearbyint pow remainder rint round "
        "sin sinh sqrt tan tanh trunc"
    ),
    "setjmp.h, signal.h": "longjmp raise setjmp signal",
    "stdio.h": (
        "clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf "
        "fseek fsetpos ftell fwrite getc getchar perror printf putc putchar puts remove rename rewind scanf "
        "setbuf setvbuf snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vprintf vscanf vsnprintf vsprintf "
        "vsscanf"
    ),
    "stdlib.h": (
        "abort abs aligned_alloc atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs "
        "malloc mblen mbstowcs mbtowc qsort rand realloc srand strtod strtof strtol strtold strtoll strtoul "
        "strtoull system wcstombs wctomb"
    ),
    "string.h": (
        "memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strerror strlen strncat "
        "strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm"
    ),
    "time.h": "asctime clock ctime difftime gmtime localtime mktime strftime time",
    "wchar.h": "wcscat wcschr wcscmp wcscpy wcslen wcsncmp wcsncpy wmemcpy wmemset",
    "POSIX": (
        "access alarm chdir chmod chown close closedir dup dup2 execv execve execvp fchmod fchown fcntl fdopen "
        "fileno fork fseeko fstat fsync ftello ftruncate getcwd getpagesize getpid getrusage gettimeofday ioctl "
        "isatty kill link localtime_r gmtime_r lseek lstat mkdir mkstemp mmap munmap nanosleep open opendir "
        "pclose pipe poll popen pread pwrite read readdir readlink realpath rmdir select sleep stat strcasecmp "
        "strdup strncasecmp strndup strnlen strtok_r symlink umask unlink usleep utime utimes waitpid write"
    ),
}
LIBRARY = frozenset(name for listed in _FUNCTIONS.values() for name in listed.split())
ENTRIES = frozenset(
    {"main", "wmain", "_tmain", "WinMain", "wWinMain", "_tWinMain", "DllMain", "LLVMFuzzerTestOneInput"}
)
"""Functions that the system calls: ISO/IEC 9899:2018, 5.1.2.2.1 "Program startup"; Windows' headers, "winbase.h",
"tchar.h"; and LLVM's "LibFuzzer"."""
