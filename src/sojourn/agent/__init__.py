"""The agent: a session that talks. It calls models and tools, and writes down everything as it happens.

`agent` is the front: `run_turn` yields `events`, `send` yields text. `loop` asks the model again until it has an
answer, `batch` runs the tools that it calls, `talk` is where what is said is kept. Around it: `skills` (what a model
can do), `permissions` (what it may do), `reasoning` (how hard it thinks), `mcp` (skills of other programs), `logs` (for
people), `pool` and `team` (many agents), `runtime` (agents between pipes). The doors import it; it imports the engine.
"""
