import Foundation
import TokenSamples

do {
  try Allocations.prepare()
  let options = try Options(CommandLine.arguments.dropFirst())
  try Allocations.check()
  let now = Int64(Date().timeIntervalSince1970)
  let samples = try [SampleAlgorithm.RS256, .ES256, .EdDSA, .HS256].map { try TokenSample($0, at: now) }

  let single = SingleThreadFigures(samples: samples, seconds: options.seconds)
  let report = try Report(
    samples,
    single.verify() + ScalingFigures(samples: samples, seconds: 4 * options.seconds).verify() + single.sign()
      + CacheFigures(sample: samples[1], seconds: options.seconds).all()
      + [CacheMemory(sample: samples[3], tokens: options.isQuick ? 100_000 : 1_000_000).figure()]
      + AllocationFigures(samples: samples).verify())
  print(try options.isJSON ? report.json() : report.text())
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
