@ Quotient of two f32, rounded to nearest, ties to even.
@
@ In: r0 = a, r1 = b. Out: r0. Changes r1 to r3, r12 and the flags.
@
@ A table and one step of Newton's iteration give the reciprocal of b's significand, too small by less than 8e-5 of itself. The
@ quotient follows in two pieces of 12 bits, each from the remainder that the last one left, which is exact: whatever the pieces
@ lack is seen in the end. At most one is missing then.

    .section .text.stiffstep_softfloat.single_divide, "ax", %progbits
    .syntax unified
    .thumb
    .balign 4

@ r0, r1: significands with their leading bit in bit 23, r2: an exponent. Then r5: the first 24 bits of r0 / r1, the leading one in
@ bit 23; r0: the remainder; r2 less by one if r0 was less than r1. Changes r3 and r4.
    .macro DIVIDE_SIGNIFICANDS
    cmp   r0, r1
    bhs   .Lat_least_1_\@
    lsls  r0, r0, #1
    subs  r2, #1
.Lat_least_1_\@:
    adr   r3, .Lreciprocals
    lsrs  r4, r1, #16
    subs  r4, #128
    ldrb  r3, [r3, r4]              @ r = 2^8 / b, b in [1, 2)
    lsrs  r4, r1, #8
    adds  r4, #1                    @ 2^15 b, rounded up
    muls  r4, r3, r4
    movs  r5, #1
    lsls  r5, r5, #24
    subs  r5, r5, r4                @ 2^23 (2 - b r)
    muls  r3, r5, r3
    lsrs  r3, r3, #15               @ r = 2^16 / b
    lsrs  r5, r0, #9
    muls  r5, r3, r5
    lsrs  r5, r5, #19               @ the upper 12 bits
    movs  r4, r5
    muls  r4, r1, r4
    lsls  r0, r0, #11
    subs  r0, r0, r4                @ 2^11 a less what they account for
    lsrs  r4, r0, #9
    muls  r4, r3, r4
    lsrs  r4, r4, #18               @ the lower 12 bits
    lsls  r5, r5, #12
    adds  r5, r5, r4
    muls  r4, r1, r4
    lsls  r0, r0, #12
    subs  r0, r0, r4
    cmp   r0, r1
    blo   .Lremainder_\@
    subs  r0, r0, r1
    adds  r5, #1
.Lremainder_\@:
    .endm

    .global __aeabi_fdiv
    .type __aeabi_fdiv, %function
    .thumb_func
__aeabi_fdiv:
    push  {r4, r5, lr}
@ Both exponents from 64 to 191, and not a's among the two smallest of these with b's among the two largest: then the quotient is a
@ normal number, whatever the significands are. The test is that of the product, for b and 1 / a.
    lsrs  r2, r1, #23
    adds  r2, #64
    lsrs  r4, r0, #23
    movs  r3, #63
    subs  r3, r3, r4
    movs  r4, r2
    ands  r4, r3
    lsls  r4, r4, #24
    asrs  r4, r4, #25
    adds  r4, #1
    bpl   .Ldiv_far
    adds  r3, r2, r3
    movs  r2, #253
    subs  r2, r2, r3                @ low byte: exponent - 1, bit 8: the sign
    movs  r3, #1
    lsls  r3, r3, #23
    lsls  r0, r0, #9
    lsrs  r0, r0, #9
    orrs  r0, r3
    lsls  r1, r1, #9
    lsrs  r1, r1, #9
    orrs  r1, r3
    DIVIDE_SIGNIFICANDS
    lsls  r2, r2, #23
    lsls  r0, r0, #1
    cmp   r0, r1                    @ carry = half or more; a quotient of 25 bits is never exact, so it is not half
    movs  r0, r5
    adcs  r0, r2
    pop   {r4, r5, pc}

@ Large and small exponents and everything that is not a normal number. r12: the sign.
.Ldiv_far:
    movs  r2, r0
    eors  r2, r1
    lsrs  r2, r2, #31
    lsls  r2, r2, #31
    mov   r12, r2
    lsls  r2, r0, #1
    lsrs  r2, r2, #24               @ a's exponent
    lsls  r3, r1, #1
    lsrs  r3, r3, #24               @ b's
    cmp   r2, #255
    beq   .Ldiv_a_not_finite
    cmp   r3, #255
    beq   .Ldiv_b_not_finite
    movs  r5, #1
    lsls  r5, r5, #31
    lsls  r0, r0, #8
    lsls  r1, r1, #8
    cmp   r3, #0
    bne   1f
    cmp   r1, #0
    beq   .Ldiv_by_zero
    movs  r3, #1
    NORMALISE r1, r3, r4
1:  cmp   r2, #0
    bne   1f
    cmp   r0, #0
    beq   .Ldiv_signed              @ zero
    movs  r2, #1
    NORMALISE r0, r2, r4
1:  orrs  r0, r5
    lsrs  r0, r0, #8
    orrs  r1, r5
    lsrs  r1, r1, #8
    subs  r2, r2, r3
    adds  r2, #126                  @ exponent - 1
    b     .Ldiv_slowly

.Ldiv_by_zero:
    lsls  r0, r0, #1                @ without the exponent's last bit
    orrs  r0, r2
    beq   .Ldiv_nan                 @ 0 / 0
.Ldiv_infinite:
    movs  r0, #255
    lsls  r0, r0, #23
.Ldiv_signed:
    mov   r2, r12
    orrs  r0, r2
    pop   {r4, r5, pc}
.Ldiv_a_not_finite:
    lsls  r4, r0, #9
    bne   .Ldiv_nan
    cmp   r3, #255
    bne   .Ldiv_infinite
.Ldiv_nan:
    movs  r0, #255
    lsls  r0, r0, #1
    adds  r0, #1
    lsls  r0, r0, #22
    pop   {r4, r5, pc}
.Ldiv_b_not_finite:
    lsls  r4, r1, #9
    bne   .Ldiv_nan
    movs  r0, #0
    b     .Ldiv_signed

.Ldiv_slowly:
    DIVIDE_SIGNIFICANDS
    cmp   r2, #254
    bge   .Ldiv_infinite
    cmp   r2, #0
    blt   .Ldiv_subnormal
    lsls  r2, r2, #23
    lsls  r0, r0, #1
    cmp   r0, r1
    movs  r0, r5
    adcs  r0, r2
    b     .Ldiv_signed
.Ldiv_subnormal:
    lsls  r5, r5, #8
    cmp   r0, #0
    beq   1f
    adds  r5, #1                    @ for all of the remainder
1:  rsbs  r2, r2, #0                @ places to shift
    movs  r0, r5
    lsrs  r0, r2
    rors  r5, r2
    eors  r5, r0                    @ what was shifted out
    lsls  r4, r0, #25               @ carry = the first bit that is dropped, r4 = those below it
    orrs  r4, r5
    beq   1f
    movs  r4, #0
    lsrs  r0, r0, #8
    adcs  r0, r4
    b     .Ldiv_signed
1:  lsrs  r0, r0, #8
    bcc   .Ldiv_signed
    adds  r0, #1                    @ a tie
    lsrs  r0, r0, #1
    lsls  r0, r0, #1
    b     .Ldiv_signed

    .balign 4
@ 256 / x at x = 1 + (i + 1/2) / 128.
.Lreciprocals:
    .byte 255, 253, 251, 249, 247, 245, 244, 242, 240, 238, 237, 235, 233, 232, 230, 228
    .byte 227, 225, 224, 222, 221, 219, 218, 216, 215, 213, 212, 211, 209, 208, 207, 205
    .byte 204, 203, 202, 200, 199, 198, 197, 196, 194, 193, 192, 191, 190, 189, 188, 187
    .byte 186, 185, 184, 183, 182, 181, 180, 179, 178, 177, 176, 175, 174, 173, 172, 171
    .byte 170, 169, 168, 168, 167, 166, 165, 164, 163, 163, 162, 161, 160, 159, 159, 158
    .byte 157, 156, 156, 155, 154, 153, 153, 152, 151, 151, 150, 149, 149, 148, 147, 147
    .byte 146, 145, 145, 144, 143, 143, 142, 142, 141, 140, 140, 139, 139, 138, 137, 137
    .byte 136, 136, 135, 135, 134, 133, 133, 132, 132, 131, 131, 130, 130, 129, 129, 128

    .size __aeabi_fdiv, . - __aeabi_fdiv
