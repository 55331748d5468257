"""The skills that come with Sojourn: files, commands, pages, the time, and what the session knows.

`standard` puts together what an agent usually gets. Whatever touches files stays inside `Roots`. Each skill is a plain
function or method with a docstring for the model; results are cut to what a model is shown anyway.
"""
