import Foundation
import TokenSamples

do {
  let options = try Options(CommandLine.arguments.dropFirst())
  _ = try TokenFolder(options.folder + "/tokens")
  var comparison = Comparison()
  comparison.run(options)
  if options.isJSON {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(comparison), as: UTF8.self))
  } else {
    print(comparison)
  }
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
