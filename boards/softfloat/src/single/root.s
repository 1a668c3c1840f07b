@ Square root of an f32, rounded to nearest.
@
@ In: r0 = x. Out: r0. Changes r1 to r3 and the flags.
@
@ A table and one step of Newton's iteration give 1 / sqrt(m) to 13 bits, m in [1, 4); m times that is the root to 12 bits, and the
@ remainder of its square gives 12 more. The remainder of the result is exact: it says whether the next number is nearer. At most
@ two are to go, never one back; all significands were tried.

    .section .text.stiffstep_softfloat.single_root, "ax", %progbits
    .syntax unified
    .thumb
    .balign 4

    .global sqrtf
    .type sqrtf, %function
    .thumb_func
sqrtf:
    push  {r4, r5, lr}
    lsrs  r1, r0, #23
    subs  r2, r1, #1
    cmp   r2, #254
    bhs   .Lroot_not_normal         @ the sign is among these bits
.Lroot_normalised:
    movs  r2, #1
    lsls  r2, r2, #23
    lsls  r0, r0, #9
    lsrs  r0, r0, #9
    orrs  r0, r2
    adds  r1, #127
    lsrs  r1, r1, #1                @ the root's exponent
    bcc   1f
    lsls  r0, r0, #1                @ 2^23 m
1:  adr   r3, .Lroots
    lsrs  r2, r0, #18
    subs  r2, #32
    ldrb  r2, [r3, r2]              @ r = 2^8 / sqrt(m)
    lsrs  r3, r0, #9                @ 2^14 m
    movs  r4, r2
    muls  r4, r2, r4
    muls  r4, r3, r4                @ 2^30 m r^2
    movs  r5, #3
    lsls  r5, r5, #30
    subs  r5, r5, r4                @ 2^30 (3 - m r^2)
    lsrs  r5, r5, #15
    muls  r2, r5, r2
    lsrs  r2, r2, #8                @ r = 2^16 / sqrt(m)
    muls  r3, r2, r3
    lsrs  r3, r3, #18               @ 2^12 sqrt(m)
    movs  r4, r3
    muls  r4, r3, r4
    lsls  r4, r4, #10
    lsls  r5, r0, #11
    subs  r5, r5, r4                @ 2^34 (m - root^2)
    lsrs  r5, r5, #9
    muls  r5, r2, r5
    lsrs  r5, r5, #19
    lsls  r3, r3, #11
    adds  r3, r3, r5                @ s = 2^23 sqrt(m)
    movs  r4, r3
    muls  r4, r3, r4
    lsls  r0, r0, #23
    subs  r0, r0, r4                @ 2^46 m - s^2
    cmp   r0, r3
    ble   2f                        @ (s + 1/2)^2 is beyond
    subs  r0, r0, r3
    adds  r3, #1
    subs  r0, r0, r3
    cmp   r0, r3
    ble   2f
    adds  r3, #1
2:  subs  r1, #1
    lsls  r1, r1, #23
    adds  r0, r3, r1
    pop   {r4, r5, pc}

.Lroot_not_normal:
    lsls  r2, r0, #1
    beq   1f                        @ zero, whose sign stays
    cmp   r0, #0
    bmi   .Lroot_nan
    lsls  r2, r0, #8
    cmp   r1, #0
    bne   .Lroot_not_finite
    movs  r1, #1
    NORMALISE r2, r1, r3
    lsrs  r0, r2, #8
    b     .Lroot_normalised
.Lroot_not_finite:
    lsls  r2, r0, #9
    beq   1f
.Lroot_nan:
    movs  r0, #255
    lsls  r0, r0, #1
    adds  r0, #1
    lsls  r0, r0, #22
1:  pop   {r4, r5, pc}

    .balign 4
@ 256 / sqrt(m) at m = (i + 1/2) / 32, i from 32 on.
.Lroots:
    .byte 254, 250, 247, 243, 240, 236, 233, 230, 228, 225, 222, 220, 217, 215, 212, 210
    .byte 208, 206, 204, 202, 200, 198, 196, 194, 193, 191, 189, 188, 186, 185, 183, 182
    .byte 180, 179, 178, 176, 175, 174, 172, 171, 170, 169, 168, 167, 166, 164, 163, 162
    .byte 161, 160, 159, 158, 158, 157, 156, 155, 154, 153, 152, 151, 151, 150, 149, 148
    .byte 147, 147, 146, 145, 144, 144, 143, 142, 142, 141, 140, 140, 139, 138, 138, 137
    .byte 137, 136, 135, 135, 134, 134, 133, 132, 132, 131, 131, 130, 130, 129, 129, 128

    .size sqrtf, . - sqrtf
