@ Integers to f32, rounded to nearest, ties to even; and back, rounded to zero. What an integer cannot hold becomes its nearest
@ one, a NaN becomes 0.
@
@ In: r0, for 64 bits r0 (low) and r1. Out: r0. Changes r1 to r3 and the flags.

    .section .text.stiffstep_softfloat.single_convert, "ax", %progbits
    .syntax unified
    .thumb
    .balign 4

@ r0: not zero, r1: sign, r2: the exponent if bit 31 of r0 is set, r3: not zero if something not zero stands below r0.
    .macro PACK
    subs  r2, #1
    lsls  r2, r2, #23
    orrs  r2, r1
    lsls  r1, r0, #25               @ carry = the first bit that is dropped, r1 = those below it
    orrs  r1, r3
    beq   .Lpack_rest_is_zero\@
    lsrs  r0, r0, #8
    adcs  r0, r2
    bx    lr
.Lpack_rest_is_zero\@:
    lsrs  r0, r0, #8
    bcs   .Lpack_tie\@
    adds  r0, r0, r2
    bx    lr
.Lpack_tie\@:
    adcs  r0, r2
    lsrs  r0, r0, #1
    lsls  r0, r0, #1
    bx    lr
    .endm

    .global __aeabi_i2f
    .type __aeabi_i2f, %function
    .thumb_func
__aeabi_i2f:
    lsrs  r1, r0, #31
    lsls  r1, r1, #31
    beq   .Lmagnitude
    rsbs  r0, r0, #0
    b     .Lmagnitude
    .global __aeabi_ui2f
    .type __aeabi_ui2f, %function
    .thumb_func
__aeabi_ui2f:
    movs  r1, #0
.Lmagnitude:
    cmp   r0, #0
    beq   1f
    movs  r2, #158
    NORMALISE r0, r2, r3
    movs  r3, #0
    PACK
1:  bx    lr

    .global __aeabi_l2f
    .type __aeabi_l2f, %function
    .thumb_func
__aeabi_l2f:
    movs  r3, #0
    cmp   r1, r3
    bpl   .Llong_magnitude
    movs  r3, #1
    lsls  r3, r3, #31
    movs  r2, #0
    rsbs  r0, r0, #0
    sbcs  r2, r1
    movs  r1, r2
    b     .Llong_magnitude
    .global __aeabi_ul2f
    .type __aeabi_ul2f, %function
    .thumb_func
__aeabi_ul2f:
    movs  r3, #0
.Llong_magnitude:                   @ r1, r0: the magnitude; r3: the sign
    cmp   r1, #0
    bne   1f
    movs  r1, r3
    b     .Lmagnitude
1:  mov   r12, r3
    push  {r4}
    movs  r2, #190
    NORMALISE r1, r2, r3
    movs  r3, #190
    subs  r3, r3, r2                @ places
    movs  r4, r0
    lsls  r4, r3                    @ what stays below
    rsbs  r3, r3, #0
    adds  r3, #32
    lsrs  r0, r3
    orrs  r0, r1
    movs  r3, r4
    mov   r1, r12
    pop   {r4}
    PACK

    .global __aeabi_f2iz
    .type __aeabi_f2iz, %function
    .thumb_func
__aeabi_f2iz:
    lsls  r1, r0, #1
    lsrs  r1, r1, #24
    movs  r2, #158
    subs  r2, r2, r1                @ places to shift
    ble   .Lto_signed_limit
    asrs  r3, r0, #31
    movs  r1, #1
    lsls  r1, r1, #31
    lsls  r0, r0, #8
    orrs  r0, r1
    lsrs  r0, r2                    @ zero from 32 places on
    eors  r0, r3
    subs  r0, r0, r3
    bx    lr
.Lto_signed_limit:
    movs  r2, #1
    lsls  r2, r2, #31
    subs  r2, #1
    b     .Lto_limit

    .global __aeabi_f2uiz
    .type __aeabi_f2uiz, %function
    .thumb_func
__aeabi_f2uiz:
    lsls  r1, r0, #1
    bcs   2f                        @ negative
    lsrs  r1, r1, #24
    movs  r2, #158
    subs  r2, r2, r1
    blt   1f
    movs  r1, #1
    lsls  r1, r1, #31
    lsls  r0, r0, #8
    orrs  r0, r1
    lsrs  r0, r2
    bx    lr
1:  movs  r2, #0
    mvns  r2, r2
@ r2: the limit of positive numbers, whose complement is that of negative ones.
.Lto_limit:
    movs  r1, #255
    lsls  r1, r1, #24
    lsls  r3, r0, #1
    cmp   r3, r1
    bhi   2f                        @ a NaN
    asrs  r0, r0, #31
    eors  r0, r2
    bx    lr
2:  movs  r0, #0
    bx    lr

    .size __aeabi_i2f, . - __aeabi_i2f
    .size __aeabi_ui2f, . - __aeabi_ui2f
    .size __aeabi_l2f, . - __aeabi_l2f
    .size __aeabi_ul2f, . - __aeabi_ul2f
    .size __aeabi_f2iz, . - __aeabi_f2iz
    .size __aeabi_f2uiz, . - __aeabi_f2uiz
