"""How actors run and reach each other: inboxes, the closed list of messages, supervision, turns on the loop, the log.

Knows nothing of what the messages are about.
"""
