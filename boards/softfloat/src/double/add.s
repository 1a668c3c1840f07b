@ Sum and difference of two f64, rounded to nearest, ties to even.
@
@ In: r1, r0 = a and r3, r2 = b, the upper word first. Out: r1, r0. Changes r2, r3, r12 and the flags.
@
@ The operand with the larger exponent stays where it is, in r1 and r0 with its sign and exponent; the other one's significand is
@ shifted to its place in r3 and r2, and 32 bits of what falls off below are kept in r5. Sum and difference of the fractions go to
@ r12 and r0 first, to see whether the exponent stays.

    .section .text.stiffstep_softfloat.double_add, "ax", %progbits
    .syntax unified
    .thumb
    .balign 4

@ r4: exponent of the larger one; r5: that of the smaller one, in r3 and r2, which is zero or subnormal if this branches.
    .macro DOUBLE_EXPONENTS tiny, not_finite
    ubfx  r4, r1, #20, #11
    ubfx  r5, r3, #20, #11
    add   r12, r4, #1
    cmp   r5, #0
    beq   \tiny
    lsrs  r12, r12, #11
    bne   \not_finite
    bfc   r3, #20, #12
    orr   r3, r3, #0x100000
    subs  r4, r4, r5
    .endm

@ Shifts r3, r2 right by r4 places, at least 0, into r5.
    .macro DOUBLE_ALIGN far
    cmp   r4, #32
    bhi   \far
    rsb   r12, r4, #32
    lsl   r5, r2, r12               @ zero from 32 places on
    lsr   r2, r2, r4
    lsl   r12, r3, r12
    orr   r2, r2, r12
    lsr   r3, r3, r4
    .endm

@ The same from 33 places on.
    .macro DOUBLE_ALIGN_FAR back
    cmp   r4, #64
    bhs   .Lvery_far\@
    rsb   r12, r4, #64
    sub   r4, r4, #32
    lsl   r5, r2, r12               @ beyond r5: one bit for all of them
    cmp   r5, #0
    lsr   r5, r2, r4
    it    ne
    orrne r5, r5, #1
    lsl   r12, r3, r12
    orr   r5, r5, r12
    lsr   r2, r3, r4
    movs  r3, #0
    b     \back
.Lvery_far\@:
    movs  r5, #1
    movs  r2, #0
    movs  r3, #0
    b     \back
    .endm

@ Ends the routine: rounds r1, r0 by the bits below in r5.
    .macro DOUBLE_ROUND
    lsls  r5, r5, #1                @ carry = the first bit that is dropped
    beq   .Ldouble_rest_is_zero\@
    adcs  r0, r0, #0
    adc   r1, r1, #0
    pop   {r4, r5, pc}
.Ldouble_rest_is_zero\@:
    bcc   .Ldouble_exact\@
    adcs  r0, r0, #0
    adc   r1, r1, #0
    bic   r0, r0, #1
.Ldouble_exact\@:
    pop   {r4, r5, pc}
    .endm

@ Exchanges the operands. r4 = r1 ^ r3.
    .macro DOUBLE_EXCHANGE
    eor   r5, r0, r2
    eors  r0, r5
    eors  r2, r5
    eors  r1, r4
    eors  r3, r4
    .endm

    .global __aeabi_drsub
    .type __aeabi_drsub, %function
    .thumb_func
__aeabi_drsub:
    eor   r1, r1, #0x80000000
    b     __aeabi_dadd
    .global __aeabi_dsub
    .type __aeabi_dsub, %function
    .thumb_func
__aeabi_dsub:
    eor   r3, r3, #0x80000000
    .global __aeabi_dadd
    .type __aeabi_dadd, %function
    .thumb_func
__aeabi_dadd:
    push  {r4, r5, lr}
    eors  r4, r1, r3
    bmi   .Ldsub
    cmp   r1, r3
    bhs   1f
    DOUBLE_EXCHANGE
1:  DOUBLE_EXPONENTS .Ldadd_tiny, .Ldadd_not_finite
.Ldadd_unpacked:
    DOUBLE_ALIGN .Ldadd_far
.Ldadd_aligned:
    ubfx  r12, r1, #0, #20
    adds  r0, r0, r2
    adcs  r12, r12, r3
    cmp   r12, #0x100000            @ the leading bit of one is in this sum, that of the other is not
    bhs   .Ldadd_carry
    bfi   r1, r12, #0, #20
    DOUBLE_ROUND
.Ldadd_carry:
    sub   r12, r12, #0x100000
    lsrs  r12, r12, #1
    rrxs  r0, r0                    @ carry = the first bit that is dropped
    bfi   r1, r12, #0, #20
    add   r1, r1, #0x100000
    cbz   r5, 1f
    adcs  r0, r0, #0
    adc   r1, r1, #0
    b     2f
1:  bcc   2f
    adcs  r0, r0, #0
    adc   r1, r1, #0
    bic   r0, r0, #1
2:  mov   r12, #0x200000
    cmn   r12, r1, lsl #1
    bcs   1f
    pop   {r4, r5, pc}
1:  movs  r0, #0                    @ infinite
    bfc   r1, #0, #20
    pop   {r4, r5, pc}

.Ldadd_far:
    DOUBLE_ALIGN_FAR .Ldadd_aligned

.Ldadd_tiny:
    lsrs  r12, r12, #11
    bne   .Ldadd_not_finite
    orrs  r5, r2, r3, lsl #1
    beq   1f                        @ b is zero
    bfc   r3, #20, #12
    subs  r4, #1
    bpl   .Ldadd_unpacked
    adds  r0, r0, r2                @ both are subnormal
    adc   r1, r1, r3
1:  pop   {r4, r5, pc}

.Ldsub_not_finite:
    lsl   r5, r3, #1
    cmp   r5, r1, lsl #1
    beq   .Ldadd_nan                @ inf - inf, or one is a NaN whose upper word does not say so
.Ldadd_not_finite:
    orrs  r5, r0, r1, lsl #12
    bne   .Ldadd_nan
    lsl   r5, r3, #1
    cmp   r5, r1, lsl #1
    bne   1f
    cbz   r2, 1f
.Ldadd_nan:
    movs  r0, #0
    movw  r1, #0
    movt  r1, #0x7ff8
1:  pop   {r4, r5, pc}

@ The signs differ.
.Ldsub:
    lsl   r5, r1, #1
    cmp   r5, r3, lsl #1
    bhs   1f
    DOUBLE_EXCHANGE
1:  DOUBLE_EXPONENTS .Ldsub_tiny, .Ldsub_not_finite
.Ldsub_unpacked:
    DOUBLE_ALIGN .Ldsub_far
.Ldsub_aligned:
    ubfx  r12, r1, #0, #20
    rsbs  r5, r5, #0
    sbcs  r0, r0, r2
    sbcs  r12, r12, r3
    bmi   .Ldsub_normalise          @ the leading bit is gone
    bfi   r1, r12, #0, #20
    DOUBLE_ROUND

.Ldsub_normalise:
    adds  r12, r12, #0x100000
    bmi   .Ldsub_negative
.Ldsub_positive:
    sub   r1, r1, #0x100000
    lsls  r5, r5, #1
    adcs  r0, r0, r0
    adc   r12, r12, r12
    ubfx  r4, r1, #20, #11
    tst   r12, #0x100000
    beq   .Ldsub_by_more
    cbz   r4, .Ldsub_subnormal
    bfi   r1, r12, #0, #20
    DOUBLE_ROUND
.Ldsub_subnormal:                   @ one place back, which is exact: the exponents were the same
    bfc   r1, #0, #20
    lsrs  r12, r12, #1
    rrx   r0, r0
    orr   r1, r1, r12
    pop   {r4, r5, pc}
.Ldsub_negative:                    @ equal in their upper words and without anything below
    eor   r1, r1, #0x80000000
    rsbs  r0, r0, #0
    sbc   r12, r5, r12              @ r5 is zero
    b     .Ldsub_positive

@ By two places or more: the exponents differ by one at most, and the difference is exact. r4: the exponent now.
.Ldsub_by_more:
    clz   r2, r12
    subs  r2, #11
    cmp   r2, #21
    bne   1f
    clz   r2, r0
    adds  r2, #21
    cmp   r2, #53
    beq   .Ldsub_zero
1:  cmp   r2, r4
    bhs   .Ldsub_to_subnormal
    sub   r1, r1, r2, lsl #20
.Ldsub_shift:
    rsb   r3, r2, #32
    lsl   r12, r12, r2
    lsr   r3, r0, r3                @ zero if out of range
    orr   r12, r12, r3
    sub   r3, r2, #32
    lsl   r3, r0, r3
    orr   r12, r12, r3
    lsl   r0, r0, r2
    bfi   r1, r12, #0, #20
    pop   {r4, r5, pc}
.Ldsub_to_subnormal:                @ as far as the exponent lasts: from r4 to 1, whose places are those of 0
    sub   r1, r1, r4, lsl #20
    subs  r2, r4, #1
    bpl   .Ldsub_shift
    lsrs  r12, r12, #1              @ it was 1: one place back
    rrx   r0, r0
    bfi   r1, r12, #0, #20
    pop   {r4, r5, pc}
.Ldsub_zero:
    movs  r1, #0
    pop   {r4, r5, pc}

.Ldsub_far:
    DOUBLE_ALIGN_FAR .Ldsub_aligned

.Ldsub_tiny:
    lsrs  r12, r12, #11
    bne   .Ldsub_not_finite
    orrs  r5, r2, r3, lsl #1
    beq   1f                        @ b is zero
    bfc   r3, #20, #12
    subs  r4, #1
    bpl   .Ldsub_unpacked
    subs  r0, r0, r2                @ both are subnormal
    sbcs  r12, r1, r3
    eor   r5, r12, r1
    lsls  r5, r5, #1
    bcs   2f                        @ the sign changed: the lower words were in the other order
    mov   r1, r12
1:  orrs  r5, r0, r1, lsl #1
    it    eq
    moveq r1, #0
    pop   {r4, r5, pc}
2:  rsbs  r0, r0, #0
    and   r1, r12, #0x80000000
    pop   {r4, r5, pc}

    .size __aeabi_drsub, . - __aeabi_drsub
    .size __aeabi_dsub, . - __aeabi_dsub
    .size __aeabi_dadd, . - __aeabi_dadd
