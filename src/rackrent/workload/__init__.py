"""What must be computed: the model people write, its reader, and the work it asks for month by month."""
