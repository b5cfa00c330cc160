"""The methods of types of the standard library that others embed, all of each, with the types of their parameters and
results as a signature spells them without packages and names.

Source: the documentation of the standard library, https://pkg.go.dev/std, of Go 1.22.
"""

from __future__ import annotations

from collections.abc import Mapping

_READ, _WRITE, _CLOSE, _SEEK = (
    {"Read": "([]byte)(int,error)"},
    {"Write": "([]byte)(int,error)"},
    {"Close": "()(error)"},
    {"Seek": "(int64,int)(int64,error)"},
)
_DEADLINES = dict.fromkeys(("SetDeadline", "SetReadDeadline", "SetWriteDeadline"), "(Time)(error)")
_ERROR = {"Error": "()(string)"}
_LOCK = {"Lock": "()()", "Unlock": "()()"}
_SORT = {"Len": "()(int)", "Less": "(int,int)(bool)", "Swap": "(int,int)()"}

LIBRARY_METHODS: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("", "error"): _ERROR,
    ("container/heap", "Interface"): {**_SORT, "Push": "(any)()", "Pop": "()(any)"},
    ("context", "Context"): {
        "Deadline": "()(Time,bool)",
        "Done": "()(<-chanstruct{})",
        "Err": "()(error)",
        "Value": "(any)(any)",
    },
    ("fmt", "Stringer"): {"String": "()(string)"},
    ("io", "ByteReader"): {"ReadByte": "()(byte,error)"},
    ("io", "ByteWriter"): {"WriteByte": "(byte)(error)"},
    ("io", "Closer"): _CLOSE,
    ("io", "ReadCloser"): _READ | _CLOSE,
    ("io", "ReadSeekCloser"): _READ | _SEEK | _CLOSE,
    ("io", "ReadSeeker"): _READ | _SEEK,
    ("io", "ReadWriteCloser"): _READ | _WRITE | _CLOSE,
    ("io", "ReadWriteSeeker"): _READ | _WRITE | _SEEK,
    ("io", "ReadWriter"): _READ | _WRITE,
    ("io", "Reader"): _READ,
    ("io", "ReaderAt"): {"ReadAt": "([]byte,int64)(int,error)"},
    ("io", "ReaderFrom"): {"ReadFrom": "(Reader)(int64,error)"},
    ("io", "Seeker"): _SEEK,
    ("io", "StringWriter"): {"WriteString": "(string)(int,error)"},
    ("io", "WriteCloser"): _WRITE | _CLOSE,
    ("io", "WriteSeeker"): _WRITE | _SEEK,
    ("io", "Writer"): _WRITE,
    ("io", "WriterAt"): {"WriteAt": "([]byte,int64)(int,error)"},
    ("io", "WriterTo"): {"WriteTo": "(Writer)(int64,error)"},
    ("net", "Addr"): {"Network": "()(string)", "String": "()(string)"},
    ("net", "Conn"): _READ | _WRITE | _CLOSE | _DEADLINES | {"LocalAddr": "()(Addr)", "RemoteAddr": "()(Addr)"},
    ("net", "Error"): {**_ERROR, "Timeout": "()(bool)", "Temporary": "()(bool)"},
    ("net", "Listener"): {**_CLOSE, "Accept": "()(Conn,error)", "Addr": "()(Addr)"},
    ("net/http", "Flusher"): {"Flush": "()()"},
    ("net/http", "Handler"): {"ServeHTTP": "(ResponseWriter,*Request)()"},
    ("net/http", "Hijacker"): {"Hijack": "()(Conn,*ReadWriter,error)"},
    ("net/http", "ResponseWriter"): {**_WRITE, "Header": "()(Header)", "WriteHeader": "(int)()"},
    ("net/http", "RoundTripper"): {"RoundTrip": "(*Request)(*Response,error)"},
    ("sort", "Interface"): _SORT,
    ("sync", "Locker"): _LOCK,
    ("sync", "Mutex"): {**_LOCK, "TryLock": "()(bool)"},
    ("sync", "Once"): {"Do": "(func()())()"},
    ("sync", "RWMutex"): {
        **_LOCK,
        "TryLock": "()(bool)",
        "RLock": "()()",
        "RUnlock": "()()",
        "TryRLock": "()(bool)",
        "RLocker": "()(Locker)",
    },
}
"""By package and name."""
