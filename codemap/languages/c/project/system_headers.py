"""Headers that compilers and systems bring: a file of that name in a repository is another one, unless a search path
leads to it.

Source: ISO/IEC 9899:2018, 7.1.2 "Standard headers"; IEEE Std 1003.1-2017, "Headers"; the headers that glibc 2.36, GCC
and the Windows SDK install at the top of their include folders.
"""

from __future__ import annotations

_STANDARD = """
aio.h assert.h complex.h cpio.h ctype.h dirent.h dlfcn.h errno.h fcntl.h fenv.h float.h fmtmsg.h fnmatch.h ftw.h
glob.h grp.h iconv.h inttypes.h iso646.h langinfo.h libgen.h limits.h locale.h math.h monetary.h mqueue.h ndbm.h
netdb.h nl_types.h poll.h pthread.h pwd.h regex.h sched.h search.h semaphore.h setjmp.h signal.h spawn.h stdalign.h
stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h strings.h stropts.h syslog.h
tar.h termios.h tgmath.h threads.h time.h trace.h uchar.h ulimit.h unistd.h utime.h utmpx.h wchar.h wctype.h wordexp.h
"""

_GLIBC = """
alloca.h ar.h argp.h argz.h byteswap.h crypt.h elf.h endian.h envz.h err.h error.h execinfo.h features.h fstab.h fts.h
getopt.h ifaddrs.h link.h malloc.h mcheck.h memory.h mntent.h obstack.h paths.h printf.h pty.h resolv.h shadow.h
stdio_ext.h sysexits.h syscall.h termio.h ttyent.h ucontext.h utmp.h values.h wait.h
"""

_WINDOWS = """
conio.h direct.h intrin.h io.h process.h share.h tchar.h windows.h winsock.h winsock2.h ws2tcpip.h
"""

_GCC = """
cpuid.h immintrin.h emmintrin.h xmmintrin.h x86intrin.h arm_neon.h quadmath.h unwind.h varargs.h
"""

SYSTEM_HEADERS = frozenset(f"{_STANDARD} {_GLIBC} {_WINDOWS} {_GCC}".split())
