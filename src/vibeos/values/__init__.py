"""Values: what everything else is made of. Pure, small, and cheap to import."""
