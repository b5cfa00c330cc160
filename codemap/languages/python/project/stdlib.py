"""Top-level modules of the standard library, Python 3.9 to 3.14.

Source: `sys.stdlib_module_names` of each of these versions.
"""

from __future__ import annotations

import sys

_OF_OTHER_VERSIONS = """
_bootlocale _collections_abc _compat_pickle _py_abc _pydecimal _sitebuiltins _strptime annotationlib asynchat asyncore
audioop binhex cgi cgitb chunk compression concurrent crypt distutils formatter imghdr imp lib2to3 macpath mailcap
msilib nis nntplib ossaudiodev parser pipes smtpd sndhdr spwd string sunau symbol telnetlib tomllib uu xdrlib
"""

STDLIB = frozenset(sys.stdlib_module_names) | frozenset(_OF_OTHER_VERSIONS.split())
