import GatehouseBase

/// The JSON reader: it accepts what a slow reader accepts, understands the same, and writes what it reads.
enum JSONTarget: Target {
  static let name = "json"

  /// Names that are asked for where they are short and long, there and not.
  private static let names = ["alg", "kid", "", "é", "e\u{301}", "a", "sixteen bytes ab", "seventeen bytes a"]

  static func check(_ input: [UInt8]) {
    let plain = PlainJSON(input)
    let value = attempt { try JSONValue(parsing: input) }
    guard let value, let plain else {
      require(value == nil && plain == nil, "both readers agree that this is JSON")
      require(
        attempt { try ScannedObject(parsing: input) } == nil, "no other reader takes it")
      return
    }
    require(plain.isSame(as: value), "both readers understand the same")

    let written = value.serialized()
    let again = attempt { try JSONValue(parsing: written) }
    require(again == value, "what is written reads as the same value")
    require(again?.serialized() == written, "what is written is written so again")

    let object = attempt { try JSONObject(parsing: input) }
    let scanned = attempt { try ScannedObject(parsing: input) }
    require(object == value.object && scanned?.object == value.object, "all readers understand the same object")
    if let object, let scanned { check(scanned, against: object) }
  }

  /// Asks everything that can be asked without building a value.
  private static func check(_ scanned: ScannedObject, against object: JSONObject) {
    for name in names + object.names {
      require(scanned[name] == object[name], "a member is found where there is one")
      if let key = MemberKey(short: name) {
        require(scanned.scanned(key) == scanned.scanned(name), "a member is found by its key")
      }
    }
    for member in object.members {
      guard let place = scanned.scanned(member.name) else { continue }
      let value = member.value
      let text = value.string.map { Array($0.utf8) }
      require(scanned.built(place) == value, "a member is built alone as with the others")
      require(scanned.isString(place) == (text != nil), "a text is known without building it")
      require(scanned.double(place) == value.double, "a number is read without building it")
      require(
        value.number == nil || scanned.isNegative(place) == value.number?.text.hasPrefix("-"),
        "a minus is seen without building the number")
      require(text == nil || scanned.isExactly(place, text ?? []), "a text is compared without building it")
      require(!scanned.isExactly(place, (text ?? []) + [0x41]), "a longer text is another one")
      let length = value.string?.unicodeScalars.count ?? 0
      require(scanned.isText(place, of: 8) == (1...8).contains(length), "scalars are counted as they are")
    }
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    let edges = [
      #"{"sixteen bytes ab":1,"sixteen bytes ac":2}"#, #"{"seventeen bytes a":1,"seventeen bytes b":2}"#,
      #"{"alg":1,"\u0061le":2,"":3,"\u0000":4}"#, #"{"o":{"seventeen bytes a":1,"seventeen bytes b":2,"é":"é"}}"#,
      #"{"n":[0,-0,1e2,999999999999999,9999999999999999,1.5E-3],"text":"eight by","nine":"\ud83d\ude00\n"}"#,
      #"[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]"#,
    ]
    return edges.map { Array($0.utf8) } + harvest.json + harvest.objects.map { $0.serialized() }
  }
}
