/// The texts of tokens, in blocks of slots of one length each.
///
/// A token comes amid what its fetch allocates and frees again, and stays for an hour. Allocated one by one, 10,000
/// tokens left 27 MiB of holes between them, each smaller than a page, which are of no use to anything. Here all that a
/// fetch has allocated is freed, and the next token of an account takes a slot that was free before.
package struct TokenShelf: Sendable {
  /// The place of a text.
  package struct Place: Sendable, Hashable {
    fileprivate let slotLength: Int32
    fileprivate let slot: Int32
    fileprivate let count: Int32
  }

  /// Slots of one length.
  private struct Slots {
    var blocks: [[UInt8]] = []
    var free: [Int32] = []
    var used = 0
  }

  private static let step = 64
  private static let blockLength = 64 << 10
  private var all: [Int32: Slots] = [:]

  package init() {}

  /// Whether no text is kept; then there are no blocks either.
  package var isEmpty: Bool { all.isEmpty }

  /// Copies a text to a free slot.
  package mutating func put(_ text: String) -> Place {
    let bytes = text.utf8
    let length = max((bytes.count + Self.step - 1) / Self.step, 1) * Self.step
    let inBlock = max(Self.blockLength / length, 1)
    var slots = all.removeValue(forKey: Int32(length)) ?? Slots()
    if slots.free.isEmpty {
      let first = slots.blocks.count * inBlock
      slots.blocks.append([UInt8](repeating: 0, count: length * inBlock))
      slots.free.append(contentsOf: (first..<first + inBlock).reversed().map(Int32.init))
    }
    let place = Place(slotLength: Int32(length), slot: slots.free.removeLast(), count: Int32(bytes.count))
    let (block, range) = Self.range(of: place)
    slots.blocks[block].replaceSubrange(range, with: bytes)
    slots.used += 1
    all[place.slotLength] = slots
    return place
  }

  /// Erases a text, and frees its slot.
  package mutating func remove(_ place: Place) {
    guard var slots = all.removeValue(forKey: place.slotLength) else { return }
    slots.used -= 1
    guard slots.used > 0 else { return }
    let (block, range) = Self.range(of: place)
    slots.blocks[block].replaceSubrange(range, with: repeatElement(0, count: range.count))
    slots.free.append(place.slot)
    all[place.slotLength] = slots
  }

  /// Returns a copy of a text.
  package func text(at place: Place) -> String {
    let (block, range) = Self.range(of: place)
    guard let blocks = all[place.slotLength]?.blocks else { return "" }
    return String(decoding: blocks[block][range], as: UTF8.self)
  }

  private static func range(of place: Place) -> (block: Int, Range<Int>) {
    let length = Int(place.slotLength), inBlock = max(blockLength / length, 1)
    let (block, slot) = Int(place.slot).quotientAndRemainder(dividingBy: inBlock)
    return (block, slot * length..<slot * length + Int(place.count))
  }
}
