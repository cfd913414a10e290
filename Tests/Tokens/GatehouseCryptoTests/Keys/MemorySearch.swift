import Foundation
import Glibc
import Testing

/// Bytes to search for in this process's memory, kept in a form in which the search does not find itself.
///
/// The first 16 are ignored: in freed memory, the allocator's metadata is stored there.
struct MaskedBytes {
  private let masked: [UInt8]
  private static let mask: UInt8 = 0x5A

  init(_ bytes: Span<UInt8>) { masked = (16..<bytes.count).map { bytes[$0] ^ Self.mask } }

  /// The form of a number that is stored with its lowest byte first.
  init(reversing bytes: Span<UInt8>) {
    masked = (16..<bytes.count).map { bytes[bytes.count - 1 - $0] ^ Self.mask }
  }

  /// A byte that is rare in memory, to search for, and its position.
  fileprivate var rare: (place: Int, byte: UInt8) {
    let place = masked.firstIndex { (0x80..<0xFF).contains($0 ^ Self.mask) } ?? 0
    return (place, masked[place] ^ Self.mask)
  }

  fileprivate func begin(at place: Int, in bytes: [UInt8], _ count: Int) -> Bool {
    place >= 0 && place + masked.count <= count
      && masked.indices.allSatisfy { bytes[place + $0] == masked[$0] ^ Self.mask }
  }
}

/// Searches all writable memory of this process, where secrets are. Reads it through the kernel, so that freed memory
/// can be read too.
struct MemorySearch {
  private let memory: FileHandle

  init() throws { memory = try #require(FileHandle(forReadingAtPath: "/proc/self/mem")) }

  /// Whether the bytes occur in memory.
  func finds(_ bytes: MaskedBytes) throws -> Bool {
    var room = [UInt8](repeating: 0, count: 1 << 20)
    // The copied memory must not be found the next time.
    defer { for place in room.indices { room[place] = 0 } }
    // `unsafe`: only the address is kept, and the array does not move: it has no other owner and does not grow.
    let own = unsafe room.withUnsafeMutableBytes { room in
      let start = UInt(bitPattern: room.baseAddress)
      return start..<start + UInt(room.count)
    }
    for region in try Self.regions() {
      // Skips the search's own buffer, which contains what was read before. It may be in the middle of a region.
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
      // The next piece overlaps the end of this one, for matches that cross the boundary.
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

  /// The memory regions that are readable and writable.
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
