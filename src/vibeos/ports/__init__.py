"""Ports to the outside: databases (`store`), model routes (`models`), and what may enter (`guard`)."""
