"""The office: puts documents together from the house's state, and from the journal where they tell of its past."""
