import Crypto
import Foundation
import Storage
import StorageTestSupport
import Testing

@Suite struct TextDigestTests {
    /// Rows with digests of a migration are found by digests of the program.
    @Test(arguments: TestEngine.allCases) func bothEnginesMakeTheDigestThatTheProgramMakes(engine: TestEngine)
        async throws
    {
        try await withTemporaryDatabase([.baseline(of: "digests", [TextDigest.section])], on: engine) { database in
            for text in ["", "Observation/a", "it's", #"a\b"#, "Größe/\u{1F9EA}", String(repeating: "x", count: 4_000)]
            {
                let row = try await database.read {
                    try $0.first("SELECT \(TextDigest.function)(CAST(? AS text)) AS digest", [SQLValue(text)])
                }
                #expect(row?.blobIfPresent("digest") == TextDigest.of(text), "\(text.prefix(20))")
            }
            let ofNothing = try await database.read {
                try $0.first("SELECT \(TextDigest.function)(NULL) AS digest")
            }
            #expect(ofNothing?["digest"] == .null)
        }
    }

    /// The digests are stored in databases: another digest would find nothing.
    @Test func theDigestIsHalfOfTheSHA256() {
        #expect(TextDigest.of("Observation/a") == Data(SHA256.hash(data: Data("Observation/a".utf8))).prefix(16))
        #expect(TextDigest.of("").map { $0 }.prefix(4) == [0xe3, 0xb0, 0xc4, 0x42])
    }
}
