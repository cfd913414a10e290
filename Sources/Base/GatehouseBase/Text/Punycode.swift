/// Punycode (RFC 3492), which writes a label of an internationalized domain in ASCII: `bücher` as `bcher-kva`.
enum Punycode {
  private static let base = 36, minimum = 1, maximum = 26, skew = 38, damp = 700
  private static let firstBias = 72, firstCode = 128
  private static let hyphen = UInt8(ascii: "-")

  /// Returns the text that was encoded; `nil` for what no text is encoded as. Lower case only.
  static func decoded(_ encoded: some BidirectionalCollection<UInt8>) -> String? {
    var scalars: [Unicode.Scalar] = []
    var rest = Array(encoded)[...]
    if let delimiter = rest.lastIndex(of: hyphen) {
      scalars = rest[..<delimiter].map { Unicode.Scalar($0) }
      rest = rest[(delimiter + 1)...]
    }
    guard scalars.allSatisfy(\.isASCII), !rest.isEmpty else { return nil }
    var code = firstCode, index = 0, bias = firstBias
    while !rest.isEmpty {
      let before = index
      var weight = 1, position = base
      while true {
        guard let digit = rest.popFirst().flatMap(value) else { return nil }
        // A label has 63 bytes, but the numbers of a bad one may be large.
        let (step, isTooLong) = digit.multipliedReportingOverflow(by: weight)
        guard !isTooLong, step <= Int(Int32.max) - index else { return nil }
        index += step
        let threshold = threshold(at: position, bias)
        if digit < threshold { break }
        weight *= base - threshold
        guard weight <= Int(Int32.max) else { return nil }
        position += base
      }
      let count = scalars.count + 1
      bias = adapted(index - before, count, isFirst: before == 0)
      code += index / count
      index %= count
      guard let value = UInt32(exactly: code), let scalar = Unicode.Scalar(value) else { return nil }
      scalars.insert(scalar, at: index)
      index += 1
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  /// Returns a text in ASCII.
  static func encoded(_ text: String) -> [UInt8] {
    let scalars = text.unicodeScalars.map { Int($0.value) }
    var output = scalars.filter { $0 < firstCode }.map { UInt8($0) }
    let basic = output.count
    if basic > 0 { output.append(hyphen) }
    var code = firstCode, delta = 0, bias = firstBias, handled = basic
    while handled < scalars.count {
      guard let next = scalars.lazy.filter({ $0 >= code }).min() else { break }
      delta += (next - code) * (handled + 1)
      code = next
      for scalar in scalars {
        if scalar < code { delta += 1 }
        guard scalar == code else { continue }
        var rest = delta, position = base
        while true {
          let threshold = threshold(at: position, bias)
          if rest < threshold { break }
          output.append(digit(threshold + (rest - threshold) % (base - threshold)))
          rest = (rest - threshold) / (base - threshold)
          position += base
        }
        output.append(digit(rest))
        bias = adapted(delta, handled + 1, isFirst: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      code += 1
    }
    return output
  }

  private static func threshold(at position: Int, _ bias: Int) -> Int {
    position <= bias ? minimum : position >= bias + maximum ? maximum : position - bias
  }

  private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var position = 0
    while delta > (base - minimum) * maximum / 2 {
      delta /= base - minimum
      position += base
    }
    return position + (base - minimum + 1) * delta / (delta + skew)
  }

  private static func value(of digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a"))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit - UInt8(ascii: "0")) + 26
    default: nil
    }
  }

  private static func digit(_ value: Int) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }
}
