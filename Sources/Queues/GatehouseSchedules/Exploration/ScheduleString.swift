/// A schedule as text: the picks at each choice.
///
/// Only picks other than the oldest step are written, each as the number of oldest-step picks before it and its index
/// minus one. A number is written in groups of four bits, the lowest first. Each group is a character of base 32 whose
/// fifth bit says that more follow.
package enum ScheduleString {
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  package static func encode(_ picks: [Int]) -> String {
    var text: [UInt8] = []
    var plain = 0
    for pick in picks {
      if pick == 0 {
        plain += 1
        continue
      }
      append(plain, to: &text)
      append(pick - 1, to: &text)
      plain = 0
    }
    return text.isEmpty ? "-" : String(decoding: text, as: UTF8.self)
  }

  /// Returns `nil` if the text is not a schedule.
  package static func decode(_ text: String) -> [Int]? {
    if text == "-" { return [] }
    var numbers: [Int] = []
    var number = 0
    var shift = 0
    for byte in text.utf8 {
      guard let digit = alphabet.firstIndex(of: byte), shift <= 20 else { return nil }
      number |= (digit & 15) << shift
      shift += 4
      guard digit < 16 else { continue }
      numbers.append(number)
      number = 0
      shift = 0
    }
    guard shift == 0, !numbers.isEmpty, numbers.count.isMultiple(of: 2) else { return nil }
    var picks: [Int] = []
    for index in stride(from: 0, to: numbers.count, by: 2) {
      guard picks.count + numbers[index] < longest else { return nil }
      picks += Array(repeating: 0, count: numbers[index])
      picks.append(numbers[index + 1] + 1)
    }
    return picks
  }

  private static let longest = 10_000_000

  private static func append(_ number: Int, to text: inout [UInt8]) {
    var rest = number
    repeat {
      text.append(alphabet[rest & 15 | (rest > 15 ? 16 : 0)])
      rest >>= 4
    } while rest > 0
  }
}
