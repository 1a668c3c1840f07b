@ Where multiplication adds one double word.

    .syntax unified
    .thumb

@ r1, r0 times r3, r2 in lr, r6, r12, r5, the upper words first. Changes r0 and r2.
    .macro MULTIPLY_WORDS
    umull r5, r12, r0, r2
    mov   r6, #0
    umlal r12, r6, r1, r2
    mov   r2, #0
    umlal r12, r2, r0, r3
    mov   lr, #0
    adds  r6, r6, r2
    adc   lr, lr, #0
    umlal r6, lr, r1, r3
    .endm
