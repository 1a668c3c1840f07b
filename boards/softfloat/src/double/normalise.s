@ Used by the routines that follow.

    .syntax unified
    .thumb

@ Shifts \high, \low, the fraction of a subnormal number, left until bit 20 of \high is set; \exponent as it would be then.
    .macro DOUBLE_NORMALISE high, low, exponent, scratch, other
    clz   \scratch, \high
    subs  \scratch, #11
    cmp   \scratch, #21
    bne   .Ldouble_places_\@
    clz   \scratch, \low
    adds  \scratch, #21
.Ldouble_places_\@:
    rsb   \other, \scratch, #32
    lsl   \high, \high, \scratch
    lsr   \other, \low, \other      @ zero if out of range
    orr   \high, \high, \other
    sub   \other, \scratch, #32
    lsl   \other, \low, \other
    orr   \high, \high, \other
    lsl   \low, \low, \scratch
    rsb   \exponent, \scratch, #1
    .endm
