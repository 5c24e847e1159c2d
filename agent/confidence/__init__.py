"""How sure an inspector is, what that is worth, and what a person should see first."""
