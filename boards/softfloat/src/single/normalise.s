@ Used by the routines that follow.

    .syntax unified
    .thumb

@ Shifts \word, which is not zero, left until its bit 31 is set, and counts \exponent down by the places. Changes \scratch.
    .macro NORMALISE word, exponent, scratch
    lsrs  \scratch, \word, #16
    bne   .Lby_8_\@
    lsls  \word, \word, #16
    subs  \exponent, #16
.Lby_8_\@:
    lsrs  \scratch, \word, #24
    bne   .Lby_4_\@
    lsls  \word, \word, #8
    subs  \exponent, #8
.Lby_4_\@:
    lsrs  \scratch, \word, #28
    bne   .Lby_2_\@
    lsls  \word, \word, #4
    subs  \exponent, #4
.Lby_2_\@:
    lsrs  \scratch, \word, #30
    bne   .Lby_1_\@
    lsls  \word, \word, #2
    subs  \exponent, #2
.Lby_1_\@:
    cmp   \word, #0
    bmi   .Lnormal_\@
    lsls  \word, \word, #1
    subs  \exponent, #1
.Lnormal_\@:
    .endm
