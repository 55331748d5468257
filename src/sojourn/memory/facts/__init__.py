"""What becomes of a fact: which are the same, which contradict each other, how sure and how important they are."""
