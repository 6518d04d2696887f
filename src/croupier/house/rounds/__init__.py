"""A round: from the opening of betting to payments and corrections."""
