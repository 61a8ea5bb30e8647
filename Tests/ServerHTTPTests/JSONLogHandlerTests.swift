import Foundation
import Logging
import Testing

@testable import ServerHTTP

@Suite struct JSONLogHandlerTests {
    let lines = ResponderTests.Lines()

    var logger: Logger {
        Logger(label: "label") { [lines] label in
            JSONLogHandler(
                label: label, sink: { lines.add($0) }, now: { Date(timeIntervalSince1970: 1_700_000_000.25) })
        }
    }

    func objects() throws -> [[String: String]] {
        try lines.text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String])
        }
    }

    @Test func anEventIsOneObjectOnALine() throws {
        var logger = logger
        logger[metadataKey: "request"] = "abc"
        logger.info("hello", metadata: ["nested": ["a": "1", "b": ["2", "3"]], "count": .stringConvertible(5)])
        #expect(
            try objects() == [
                [
                    "time": "2023-11-14T22:13:20.250Z", "level": "info", "label": "label", "message": "hello",
                    "request": "abc", "nested.a": "1", "nested.b.0": "2", "nested.b.1": "3", "count": "5",
                ]
            ])
    }

    @Test func loggedValuesCannotForgeALine() throws {
        logger.info("a\n{\"level\":\"b\"}\u{2028}\u{1}\"\\", metadata: ["level": "c", "x\n": "\r\t"])
        let object = try #require(try objects().first)
        #expect(lines.text.filter { $0 == "\n" }.count == 1)
        #expect(object["message"] == "a\n{\"level\":\"b\"}\u{2028}\u{1}\"\\")
        #expect(object["level"] == "info")
        #expect(object["metadata.level"] == "c")
        #expect(object["x\n"] == "\r\t")
    }

    @Test func aLineIsBounded() throws {
        let long = String(repeating: "é\"", count: 100_000)
        var metadata: Logger.Metadata = [:]
        for index in 0..<1_000 { metadata["\(index)"] = .string(long) }
        logger.info("\(long)", metadata: metadata)
        let object = try #require(try objects().first)
        #expect(object.count == 4 + JSONLogHandler.maximumEntries)
        #expect(object["message"]?.unicodeScalars.count == JSONLogHandler.maximumCharacters + 1)
        #expect(lines.text.utf8.count < 200_000)
    }
}
