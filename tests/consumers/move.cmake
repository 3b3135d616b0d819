# Moves the folder FROM to TO, and puts nothing in its old place.
file(REMOVE_RECURSE ${TO})
file(RENAME ${FROM} ${TO})
