"""What services said about candidates, kept in the session."""
