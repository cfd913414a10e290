// A preloaded library, without functions to call. gatehouse_record.h describes what it writes.
