import Core
import Foundation
import HealthData
import TestSupport
import Testing

@testable import HealthStores

/// The byte scanner reads the same as the JSON reader.
@Suite struct JournalScannerTests {
    private static let words: [[String]] = [
        [
            #""uuid":"6F9619FF-8B86-D011-B42D-00C04FC964FF""#, #""uuid": "6f9619ff-8b86-d011-b42d-00c04fc964ff""#,
            #""uuid":"6f9619ff""#, #""uuid":null"#, #""\u0075uid":"6F9619FF-8B86-D011-B42D-00C04FC964FF""#,
        ],
        [
            #""type":"HKQuantityTypeIdentifierHeartRate""#, #""type" : "HKQuantityTypeIdentifierStepCount""#,
            #""type":"""#,
            #""type":"HK\u0051uantity""#, #""type":7"#,
        ],
        [
            #""value":72"#, #""value": -0.50"#, #""value":1e3"#, #""value":007"#, #""value":"72""#, #""value":true"#,
            #""value":-"#, #""value":5."#, #""value":12345678901234567890123456789012345"#, #""value":0"#,
        ],
        [#""unit":"count/min""#, #""unit":"°""#, #""unit":null"#, #""unit":"a\"b""#],
        [
            #""start":"2026-03-01T08:00:00+01:00""#, #""start":"2026-02-29T08:00:00Z""#,
            #""start":"2024-02-29T23:59:59-05:30""#,
            #""start":"2026-03-01T08:00:60Z""#, #""start":"2026-03-01T08:00:00.25+01:00""#, #""start":"2026-03-01""#,
            #""start":"1899-03-01T08:00:00+14:00""#, #""start":"2026-13-01T08:00:00+01:00""#,
            #""start":"2026-03-01T24:00:00+01:00""#,
        ],
        [
            #""end":"2026-03-01T08:30:00+01:00""#, #""end":"2026-03-01T08:30:00+1:00""#, #""end":null"#,
            #""end":"2026-03-01T08:30:00-00:00""#,
        ],
        [
            #""source":{"name":"Watch","productType":"Watch6,1","version":"10.2"}"#,
            #""source":{"name":"Kim’s iPhone"}"#,
            #""source":{"name":"a}b","version":"1"}"#, #""source":{}"#, #""source":{"name":{"a":1}}"#,
            #""source":"Watch""#,
            #""source":{"name":"W\u0061tch","productType":"Watch6,1"}"#, #""source":{"name":"Watch",}"#,
        ],
        [#""metadata":{"HKWasUserEntered":1}"#, #""members":[]"#, #""note":"x""#, #""toolongname":1"#],
    ]

    private func compare(_ bytes: [UInt8], with scanner: inout JournalScanner, count isRead: inout Int) {
        guard let scanned = scanner.read(bytes[...]) else { return }
        isRead += 1
        let line = LogFileLines.Line(offset: 0, bytes: bytes[...], isTooLong: false)
        let read = JournalLine(line, named: "")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(scanned.uuid == read.uuid && scanned.type == read.type, "\(text)")
        switch (scanned.change, read.change) {
        case (.deleted, .deleted): break
        case (.added(.success(let mine), let end), .added(.success(let theirs), let other)):
            #expect(mine == theirs && end == other, "\(text)")
        default: Issue.record("\(text) is read as \(scanned.change) and \(read.change)")
        }
    }

    @Test func scannerAgreesWithTheJSONReader() {
        var random = Seeded.fresh()
        var scanner = JournalScanner()
        var (isRead, plain) = (0, 0)
        for _ in 0..<30_000 {
            // Usually the common form, with a few members of other forms, missing or duplicate.
            var members: [String] = []
            for (index, forms) in Self.words.enumerated() {
                let isUsual = Int.random(in: 0..<8, using: &random) > 0
                if isUsual {
                    if index < 7 { members.append(forms[0]) }
                } else if Bool.random(using: &random) {
                    members += [forms.randomElement(using: &random) ?? ""]
                    if Int.random(in: 0..<8, using: &random) == 0 { members.append(forms[0]) }
                }
            }
            if Int.random(in: 0..<4, using: &random) == 0 { members.shuffle(using: &random) }
            let comma = ["", " "].randomElement(using: &random) ?? ""
            let change = ["add", "add", "add", "delete", "added"].randomElement(using: &random) ?? ""
            if change == "delete", Bool.random(using: &random) { members = Array(members.prefix(2)) }
            let end = ["", "", "", " ", "\r", "x", ",", "}"].randomElement(using: &random) ?? ""
            let line = "{\(comma)\"\(change)\":\(comma){\(members.joined(separator: "," + comma))}\(comma)}\(end)"
            var bytes = Array(line.utf8)
            if Int.random(in: 0..<6, using: &random) == 0, !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let before = isRead
            compare(bytes, with: &scanner, count: &isRead)
            if isRead > before { plain += 1 }
        }
        #expect(plain > 5_000)
    }

    @Test func theUsualLinesAreScanned() {
        var scanner = JournalScanner()
        for line in [
            #"{"add": {"uuid": "6F9619FF-8B86-D011-B42D-00C04FC964FF", "type": "HKQuantityTypeIdentifierHeartRate", "value": 72.5, "unit": "count/min", "start": "2026-03-01T08:00:00+01:00", "end": "2026-03-01T08:00:00+01:00", "source": {"name": "Kim’s Watch", "productType": "Watch6,1", "version": "10.2"}}}"#,
            #"{"delete":{"uuid":"6F9619FF-8B86-D011-B42D-00C04FC964FF","type":"HKQuantityTypeIdentifierHeartRate"}}"#,
        ] {
            #expect(scanner.read(Array(line.utf8)[...]) != nil)
        }
    }
}
