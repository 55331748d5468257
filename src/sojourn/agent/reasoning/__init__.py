"""How hard an agent thinks: a question is analysed, answered, judged, and tried harder if that was not good enough.

`loop` is the front. It has an *analyser* choose a strategy, runs it (`strategies`) through a seam to the agent
(`execution`), lets a *judge* look at the answer, and goes up one level if that is needed: direct, light planning, deep
reasoning. *planner*, *evaluator* and *synthesiser* do the work between. Whatever happens is a research in the session's
journal, so a restart goes on where it was.
"""
