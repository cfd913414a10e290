import Foundation
import Glibc
import Testing

/// Bytes that are looked for in this process's memory, kept in a form in which the search does not find itself.
///
/// The first 16 do not count: memory that was freed has the allocator's notes there.
struct MaskedBytes {
  private let masked: [UInt8]
  private static let mask: UInt8 = 0x5A

  init(_ bytes: Span<UInt8>) { masked = (16..<bytes.count).map { bytes[$0] ^ Self.mask } }

  /// As a number is kept that begins with its lowest byte.
  init(reversing bytes: Span<UInt8>) {
    masked = (16..<bytes.count).map { bytes[bytes.count - 1 - $0] ^ Self.mask }
  }

  /// One of them that memory is not full of, to look for, and its place.
  fileprivate var rare: (place: Int, byte: UInt8) {
    let place = masked.firstIndex { (0x80..<0xFF).contains($0 ^ Self.mask) } ?? 0
    return (place, masked[place] ^ Self.mask)
  }

  fileprivate func begin(at place: Int, in bytes: [UInt8], _ count: Int) -> Bool {
    place >= 0 && place + masked.count <= count
      && masked.indices.allSatisfy { bytes[place + $0] == masked[$0] ^ Self.mask }
  }
}

/// Looks through all memory of this process that can be written, which is where secrets are, read through the kernel:
/// so can memory be looked at that was freed.
struct MemorySearch {
  private let memory: FileHandle

  init() throws { memory = try #require(FileHandle(forReadingAtPath: "/proc/self/mem")) }

  /// Whether the bytes are anywhere.
  func finds(_ bytes: MaskedBytes) throws -> Bool {
    var room = [UInt8](repeating: 0, count: 1 << 20)
    // What was read must not be found the next time.
    defer { for place in room.indices { room[place] = 0 } }
    // `unsafe`: only the address is kept, and the array is not moved: it has no other owner, and it does not grow.
    let own = unsafe room.withUnsafeMutableBytes { room in
      let start = UInt(bitPattern: room.baseAddress)
      return start..<start + UInt(room.count)
    }
    for region in try Self.regions() {
      // Around our own room, which holds what was read before. It may lie amid what is looked through.
      for part in [region.clamped(to: 0..<own.lowerBound), region.clamped(to: own.upperBound..<UInt.max)] {
        if try finds(bytes, from: part, by: &room) { return true }
      }
    }
    return false
  }

  private func finds(_ bytes: MaskedBytes, from part: Range<UInt>, by room: inout [UInt8]) throws -> Bool {
    var start = part.lowerBound
    while start < part.upperBound {
      let length = min(room.count, Int(part.upperBound - start))
      // `unsafe`: the buffer holds the count that is passed.
      let count = unsafe room.withUnsafeMutableBytes { room in
        unsafe pread(memory.fileDescriptor, room.baseAddress, length, off_t(start))
      }
      guard count > 0 else { break }
      if Self.contains(bytes, in: room, count) { return true }
      // The next piece begins before this one's end, with what may lie across it.
      start += UInt(count > 256 && count == room.count ? count - 256 : count)
    }
    return false
  }

  private static func contains(_ bytes: MaskedBytes, in room: [UInt8], _ count: Int) -> Bool {
    let rare = bytes.rare
    var start = 0
    while start < count {
      // `unsafe`: the buffer holds the count that is passed.
      let found = unsafe room.withUnsafeBytes { room -> Int? in
        guard let base = room.baseAddress, let byte = unsafe memchr(base + start, Int32(rare.byte), count - start)
        else { return nil }
        return unsafe UnsafeRawPointer(byte) - base
      }
      guard let found else { return false }
      if bytes.begin(at: found - rare.place, in: room, count) { return true }
      start = found + 1
    }
    return false
  }

  /// Where memory can be read and written.
  private static func regions() throws -> [Range<UInt>] {
    let maps = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
    return try String(decoding: maps.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard fields[1].hasPrefix("rw"), ends.count == 2 else { return nil }
      return ends[0]..<ends[1]
    }
  }
}
