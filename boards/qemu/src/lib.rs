//! Firmware for emulated boards.
#![no_std]
