"""Findings of tools that look for faults: what their reports say, where that is in the map, and how it is reached.

*Invariant:* nothing is found here. Each result of a report is a finding, or is counted with the reason why it is none.
"""
