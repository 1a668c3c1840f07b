//! Published problems as plants, without std, so that host and boards run the same text.
#![no_std]
