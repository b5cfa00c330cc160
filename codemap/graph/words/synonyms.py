"""Words of programming that mean the same, or nearly: abbreviations, and what people ask for under another name.

A line is a group. In an abbreviation's group each word stands for the others; in a group of synonyms each is a hint of
the others. The file is long because a group a line is what can be read and amended.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from codemap.graph.index.terms import stems
from codemap.graph.words.irregular_forms import FORMS

ABBREVIATIONS = """
a11y accessibility
addr address
alloc allocate
app application
arg args argument
async asynchronous
attr attrs attribute
auth authentication authenticate
auth authorization authorize
behavior behaviour
bool boolean
buf buffer
calc calculate
cb callback
cert certificate
cfg conf config configuration configure
center centre
char chars character
cmd cmds command
col cols column
color colour
concat concatenate
conn connection
ctx context
csrf xsrf forgery
ctx cx context
customize customise
db database
dec decode
decl declaration
del delete
dest dst destination
dev device develop
dict dictionary
diff difference
dir dirs directory
doc docs documentation document
elem elems el element
enc encode
env environment
err errors error
eval evaluate
evt ev event
exc exception
exec execute
expr expression
ext extension
fd fds descriptor
fmt format
fn func function
fs filesystem
gc garbage
gen generate generator
gray grey
hdr hdrs header
i18n internationalization translation
id ids identifier
idx index
img image
impl implementation implement
info information
init initialize initialise
ins insert
int integer
iter iterator iterate
k8s kubernetes
kwargs keyword
l10n localization
lang language
len length
lib library
loc location
max maximum
mem memory
meta metadata
min minimum
misc miscellaneous
mgr manager
msg msgs message
normalize normalise
ns namespace
num number
o11y observability
obj objs object
op ops operation operator
optimize optimise
opt opts option
orig original
organize organise
param params parameter
perm perms permission
pkg package
pos position
pref prefs preference
prev previous
proc process procedure
prod production
prop props property
ptr pointer
pwd passwd password
qs queryset querystring
rand random
recv receive
recognize recognise
ref refs reference
reg register registry
rel relative relation
repo repository
req request
res resp response
res result resource
ret return
rm remove
sec secs second
sep separator
serialize serialise
seq sequence
sess session
sig signature signal
sock socket
spec specification
src source
stat stats statistics
std standard
stmt statement
str string
sub subscribe subscription
sync synchronous synchronize synchronise
sys system
tbl table
temp tmp temporary
tok token
trans translate translation transaction
ts timestamp
ttl lifetime
tty terminal
txn tx transaction
usr user
util utils utility
val vals value
var vars variable
ver version
win window windows
ws websocket whitespace
"""

SYNONYMS = """
remove delete erase discard drop clear purge
create make build construct new generate
start begin launch spawn open
stop end halt terminate shutdown close quit exit
cancel abort revoke interrupt kill
check validate verify assert ensure test
send emit publish post dispatch transmit
receive get fetch retrieve obtain read consume
url uri link address location href
folder directory path
error exception failure fault
fail error
text string str
limit maximum max cap throttle rate
parse decode deserialize load unmarshal
serialize encode dump marshal
format render print display show output
watch monitor observe listen
fake mock stub dummy
concurrent parallel simultaneous
clock time timer
wait await block sleep join
delay sleep timeout wait
seconds timeout duration
compare diff difference equal
find search lookup locate query select
match resolve
route url rule path
save store persist write commit
load read
convert transform cast coerce
combine merge join concat concatenate
split separate partition
copy clone duplicate
add insert append push register
change modify update edit alter mutate
replace substitute
sort order arrange
group aggregate
count number size length
page paginate pagination
user account
login authenticate signin auth
permission authorize access allow grant
encrypt hash
password secret credential
cache memoize
retry repeat again
execute run call invoke perform apply
function callback handler hook
event signal message
queue buffer
thread worker
process subprocess
config setting option preference
default fallback
list array collection sequence
map dictionary mapping
random arbitrary
empty blank none null
pending dirty unsaved
upload file
compress gzip deflate zip
decompress gunzip inflate
suggest recommend hint
help usage
command subcommand
argument parameter
flag option
schedule periodic cron interval
row record
table relation
column field
schema structure
image picture
email mail
web http
host domain server
connection socket
client browser
request call
response reply answer result
template view
redirect forward
session state
cookie session
log logging record trace
warn warning deprecate
test spec
version revision
lock mutex
mutual exclusive conflict
dependency require
cycle circular recursive
child sub nested
parent ancestor owner
previous earlier last
next following
first head begin
last tail end
freeze immutable readonly
undo rollback revert restore
transaction atomic
unsafe dangerous untrusted
clean sanitize strip escape
escape quote
skip ignore exclude
include contain
filter where
iterate loop each traverse walk
stream pipe
chunk batch block
reload restart refresh
measure elapsed benchmark
environment env
identifier id key
name label title
type kind class
object instance
attribute property field
method function
module package
documentation doc
complete completion autocomplete
typo similar misspell distance
install setup configure
connect attach bind
disconnect detach
allow permit enable
deny forbid disable reject refuse
turn set
visible show
hide hidden
memory heap
disk storage
position offset index
background async
shuffle random
shard distribute partition
distribute spread balance
confirm prompt ask question
mask redact filter hide
speed rate throughput bandwidth
fork spawn child process
wake notify signal
fresh stale expire age valid
alive heartbeat ping pong idle
vote elect election
majority quorum
leader master primary
follower replica secondary
backoff exponential delay
retry attempt
sign tamper forge
console terminal screen
certificate tls ssl
visited history
deep nested recursive
backup snapshot dump copy
infer guess detect deduce
condition predicate
regex regular pattern wildcard glob
raise throw
descriptor handle
same equal identical
batch transaction together
traceback stack trace
panic crash
upload put
download get
pool executor worker
several multiple many
intercept hook middleware
middleware interceptor filter plugin
plugin extension addon
hook listener callback subscriber observer
emit trigger fire notify
unsubscribe detach remove
broadcast multicast publish
sequence counter increment autoincrement
increment increase grow
decrement decrease shrink reduce
automatic auto implicit
suppress ignore swallow silence
together batch group bundle
colour color ansi style
pad align justify
raw verbatim plain
readable pretty human
lifetime ttl expire age
evict expire cleanup sweep
garbage collect reclaim
translate locale language gettext
secure safe
nonce random token
body payload content
charset encoding
mime media content
multipart form boundary
static asset
level severity verbose
rotate roll
metrics statistics stats
graceful drain shutdown
drain flush
signal interrupt
daemon background service
toggle switch enable disable
digest hash checksum
checksum crc
cipher encrypt
decrypt decipher
trust certificate verify
handshake negotiate agree
tunnel proxy
keepalive persistent reuse idle
reuse recycle share pool
frame packet message
fragment chunk part
reconnect retry
peer remote
replicate sync copy
checkpoint snapshot savepoint
savepoint nested
journal wal log
compact vacuum merge
cursor iterator
seek position offset
lazy defer deferred
debounce throttle
migrate upgrade
duplicate distinct unique repeat
rank order sort
range interval span
slice part range
truncate cut shorten trim
trim strip whitespace
exceed overflow limit
round approximate
sniff detect guess
discover find scan
scan walk iterate
visit walk traverse
tokenize lex scan token
simplify optimize
embed include insert inline
alias rename
expose export
interactive prompt
progress bar
symlink link
metadata stat info
depth level nested
leader elect
inherit extend base
override replace
subclass derive extend
annotation decorator
decorate wrap
wrap enclose surround
unwrap extract
dependency inject provide
provider factory
factory create build
initial seed default
observe subscribe track
track record follow
computed derive calculate
reactive observable signal
react effect reaction
mount attach
unmount detach
guard protect check
protect secure guard
quota limit
priority weight order
coordinate schedule
enqueue queue push submit
dequeue pop
submit queue post
ready available
busy occupied
abandon leave drop
stale outdated obsolete
recent latest last
newest latest last
oldest first
reset clear init
restore recover load
recover repair rescue
corrupt damaged invalid
broken invalid damaged
normalize canonical
relative absolute
shorten abbreviate
expand interpolate substitute
interpolate substitute format
placeholder substitute parameter
variable var
spaces whitespace blank
newline line
letter character
digit number
capital upper case
lowercase lower case
uppercase upper case
quick fast
approximate estimate
"""


@cache
def base_forms() -> Mapping[str, str]:
    """Stem of an irregular form -> the stem of its word."""
    lines = [stems(line.split()) for line in FORMS.strip().splitlines()]
    return MappingProxyType({form: base for base, *forms in lines for form in forms})


@cache
def abbreviations() -> Mapping[str, tuple[str, ...]]:
    """Stem -> the other stems that it stands for, or that stand for it."""
    return _table(ABBREVIATIONS)


@cache
def synonyms() -> Mapping[str, tuple[str, ...]]:
    """Stem -> the stems of which it is a hint."""
    return _table(SYNONYMS)


def _table(groups: str) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in groups.strip().splitlines():
        members = dict.fromkeys(stems(line.split()))
        for member in members:
            found.setdefault(member, {}).update(members)
    return MappingProxyType({stem: tuple(other for other in its if other != stem) for stem, its in found.items()})
