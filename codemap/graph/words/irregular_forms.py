"""Forms of English words that their stems do not join: `sent` of `send`, `indices` of `index`.

A line is a word and its forms. Left out are forms that mostly mean something else in code: `left`, `ground`, `wound`,
`saw`, `lay`, `mean`, `data`.
"""

from __future__ import annotations

FORMS = """
arise arose arisen
awake awoke awoken
axis axes
become became
begin began begun
bend bent
bind bound
blow blew blown
break broke broken
breed bred
bring brought
build built
buy bought
catch caught
child children
choose chose chosen
cling clung
come came
creep crept
criterion criteria
deal dealt
dig dug
draw drew drawn
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
forbid forbade forbidden
foresee foresaw foreseen
forget forgot forgotten
freeze froze frozen
get got gotten
give gave given
grow grew grown
half halves
hang hung
hear heard
hide hid hidden
hold held
index indices
keep kept
know knew known
lead led
leaf leaves
lend lent
lose lost
make made
matrix matrices
meet met
override overrode overridden
overwrite overwrote overwritten
pay paid
person people
radius radii
rebuild rebuilt
redo redone
redraw redrew redrawn
resend resent
rewind rewound
rewrite rewrote rewritten
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sink sank sunk
sleep slept
slide slid
speak spoke spoken
spend spent
spin spun
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
sweep swept
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
unbind unbound
understand understood
undertake undertook undertaken
undo undid undone
unwind unwound
vertex vertices
wake woke woken
wear wore worn
weave wove woven
win won
withdraw withdrew withdrawn
withhold withheld
write wrote written
"""
