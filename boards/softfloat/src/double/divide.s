@ Quotient of two f64, rounded to nearest, ties to even.
@
@ In: r1, r0 = a and r3, r2 = b, the upper word first. Out: r1, r0. Changes r2, r3, r12 and the flags.
@
@ A division of words and one step of Newton's iteration give the reciprocal of b's significand, too small by less than 2^-27 of
@ itself. The quotient follows in two pieces of 31 and 23 bits, each from the remainder that the last one left, which is exact:
@ whatever the pieces lack is seen in the end. At most one is missing then.

    .section .text.stiffstep_softfloat.double_divide, "ax", %progbits
    .syntax unified
    .thumb
    .balign 4

@ r1, r0 and r3, r2: significands with their leading bit in bit 20 of the upper word, r4: an exponent. Then r6, r5: the first 54 bits
@ of the quotient, the leading one in bit 21 of r6; r1, r0: the remainder; r4 less by one if a was less than b. Changes r7, r12, lr.
    .macro DOUBLE_DIVIDE
    cmp   r1, r3
    it    eq
    cmpeq r0, r2
    bhs   .Ldouble_at_least_1_\@
    adds  r0, r0, r0
    adc   r1, r1, r1
    subs  r4, #1
.Ldouble_at_least_1_\@:
    lsl   r7, r3, #11
    orr   r7, r7, r2, lsr #21       @ 2^31 b, b in [1, 2)
    lsrs  r5, r7, #16
    adds  r5, #1
    mov   r6, #0xffffffff
    udiv  r6, r6, r5                @ r = 2^17 / b
    lsl   r6, r6, #15               @ 2^32 / b
    umull r12, r5, r6, r7           @ 2^31 b r
    rsb   r5, r5, #0x80000000       @ 2^31 (1 - b r)
    umull r12, r5, r5, r6
    add   r6, r6, r5, lsl #1
    subs  r6, #4                    @ for the bits of b below r7
    lsl   r5, r1, #10
    orr   r5, r5, r0, lsr #22       @ 2^30 a, a in [1, 4)
    umull r12, r5, r6, r5           @ 2^30 a / b, the upper 31 bits
    umull r12, lr, r5, r2
    mla   lr, r5, r3, lr
    lsl   r7, r0, #30
    subs  r7, r7, r12
    lsl   r1, r1, #30
    orr   r1, r1, r0, lsr #2
    sbc   r1, r1, lr                @ 2^30 a less what they account for, in r1, r7
    lsl   r12, r1, #7
    orr   r12, r12, r7, lsr #25
    umull r0, r12, r12, r6
    lsr   r12, r12, #4              @ the lower 23 bits
    lsl   r1, r1, #23
    orr   r1, r1, r7, lsr #9
    lsl   r0, r7, #23
    lsr   r6, r5, #9
    lsl   r5, r5, #23
    adds  r5, r5, r12
    adc   r6, r6, #0
    umull r7, lr, r12, r2
    mla   lr, r12, r3, lr
    subs  r0, r0, r7
    sbc   r1, r1, lr
    cmp   r1, r3
    it    eq
    cmpeq r0, r2
    blo   .Ldouble_remainder_\@
    subs  r0, r0, r2
    sbc   r1, r1, r3
    adds  r5, r5, #1
    adc   r6, r6, #0
.Ldouble_remainder_\@:
    .endm

    .global __aeabi_ddiv
    .type __aeabi_ddiv, %function
    .thumb_func
__aeabi_ddiv:
    push  {r4, r5, r6, r7, lr}
@ Both exponents from 512 to 1535, and not a's among the two smallest of these with b's among the two largest: then the quotient is
@ a normal number, whatever the significands are. The test is that of the product, for b and 1 / a.
    lsrs  r4, r3, #20
    add   r4, r4, #512
    lsrs  r5, r1, #20
    rsb   r5, r5, #512
    subs  r5, #1
    and   r12, r4, r5
    lsl   r12, r12, #21
    cmn   r12, #0x400000
    bge   .Lddiv_far
    add   r5, r5, r4
    rsb   r4, r5, #2032
    adds  r4, #13                   @ low bits: exponent - 1, bit 11: the sign
    bfc   r1, #20, #12
    orr   r1, r1, #0x100000
    bfc   r3, #20, #12
    orr   r3, r3, #0x100000
    DOUBLE_DIVIDE
    lsrs  r6, r6, #1
    rrxs  r0, r5                    @ carry = half or more; a quotient of 54 bits is never exact, so it is not half
    adcs  r0, r0, #0
    adc   r1, r6, r4, lsl #20
    pop   {r4, r5, r6, r7, pc}

@ Large and small exponents and everything that is not a normal number.
.Lddiv_far:
    eor   r7, r1, r3
    and   r7, r7, #0x80000000
    push  {r7}                      @ the sign
    ubfx  r4, r1, #20, #11
    ubfx  r5, r3, #20, #11
    movw  r12, #0x7ff
    cmp   r4, r12
    beq   .Lddiv_a_not_finite
    cmp   r5, r12
    beq   .Lddiv_b_not_finite
    bfc   r1, #20, #12
    bfc   r3, #20, #12
    cmp   r5, #0
    bne   1f
    orrs  r6, r2, r3
    beq   .Lddiv_by_zero
    DOUBLE_NORMALISE r3, r2, r5, r6, r7
1:  cmp   r4, #0
    bne   1f
    orrs  r6, r0, r1
    beq   .Lddiv_signed             @ zero
    DOUBLE_NORMALISE r1, r0, r4, r6, r7
1:  orr   r1, r1, #0x100000
    orr   r3, r3, #0x100000
    subs  r4, r4, r5
    addw  r4, r4, #1022             @ exponent - 1
    DOUBLE_DIVIDE
    movw  r12, #0x7fe
    cmp   r4, r12
    bge   .Lddiv_infinite
    cmp   r4, #0
    blt   .Lddiv_subnormal
    lsrs  r6, r6, #1
    rrxs  r0, r5
    adcs  r0, r0, #0
    adc   r1, r6, r4, lsl #20
    b     .Lddiv_signed
.Lddiv_subnormal:
    orrs  r0, r0, r1
    it    ne
    movne r0, #1                    @ for all of the remainder
    mov   r7, r0
    rsbs  r4, r4, #1                @ places to shift r6, r5: one more than those of the significand
    cmp   r4, #56
    bhs   .Lddiv_underflow
    movs  r1, #0
    cmp   r4, #32
    blo   1f
    subs  r4, #32
    mov   r1, r5
    mov   r5, r6
    movs  r6, #0
1:  @ r6, r5, r1 and what stands below in r7
    rsb   r2, r4, #32
    lsl   r3, r1, r2
    orr   r7, r7, r3
    lsr   r1, r1, r4
    lsl   r3, r5, r2
    orr   r12, r1, r3
    lsr   r5, r5, r4
    lsl   r3, r6, r2
    orr   r0, r5, r3
    lsr   r1, r6, r4
    lsls  r12, r12, #1              @ carry = the first bit that is dropped
    beq   2f
3:  adcs  r0, r0, #0
    adc   r1, r1, #0
    b     .Lddiv_signed
2:  cbnz  r7, 4f
    bcc   .Lddiv_signed
    adcs  r0, r0, #0
    adc   r1, r1, #0
    bic   r0, r0, #1
    b     .Lddiv_signed
4:  b     3b

.Lddiv_by_zero:
    orrs  r0, r0, r1
    orrs  r0, r0, r4
    beq   .Lddiv_nan                @ 0 / 0
.Lddiv_infinite:
    movs  r0, #0
    movw  r1, #0
    movt  r1, #0x7ff0
    b     .Lddiv_signed
.Lddiv_underflow:
    movs  r0, #0
    movs  r1, #0
.Lddiv_signed:
    pop   {r7}
    orrs  r1, r7
    pop   {r4, r5, r6, r7, pc}
.Lddiv_a_not_finite:
    orrs  r6, r0, r1, lsl #12
    bne   .Lddiv_nan
    cmp   r5, r12
    bne   .Lddiv_infinite
.Lddiv_nan:
    pop   {r7}
    movs  r0, #0
    movw  r1, #0
    movt  r1, #0x7ff8
    pop   {r4, r5, r6, r7, pc}
.Lddiv_b_not_finite:
    orrs  r6, r2, r3, lsl #12
    bne   .Lddiv_nan
    b     .Lddiv_underflow

    .size __aeabi_ddiv, . - __aeabi_ddiv
