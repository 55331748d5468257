"""A runtime: components that pass messages to each other, with conversations that last.

`bus` routes and lets others look (hooks), change (pipes) and listen; `payload` is what travels;
`component` says what a component is and makes one of an agent; `runtime` starts all of it and reads the user's lines.
It uses the agent and the engine, and nobody imports it but the doors.
"""
