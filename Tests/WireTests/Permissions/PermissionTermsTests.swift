import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

/// The content of permissions, canonical JSON, and the answers.
@Suite struct PermissionTermsTests {
    private func terms(_ start: String, _ end: String, grantees: [CsiGuid] = [CsiExamples.app]) throws {
        let (start, end) = (CsiExamples.instant(start), CsiExamples.instant(end))
        _ = try PermissionTerms(
            grantees: grantees, start: start, end: end, timeStamp: start, scope: PermissionScope(access: .read))
    }

    /// P04.
    @Test func aPermissionLastsUpToOneYear() {
        for (start, end, expected) in [
            ("2018-03-06T12:00:00.000Z", "2018-03-06T12:00:00.001Z", nil),
            ("2018-03-06T12:00:00.000Z", "2018-03-06T12:00:00.000Z", "period_invalid"),
            ("2018-03-06T12:00:00.000Z", "2018-03-06T11:59:59.999Z", "period_invalid"),
            ("2018-03-06T12:00:00.000Z", "2019-03-06T12:00:00.000Z", nil),
            ("2018-03-06T12:00:00.000Z", "2019-03-06T12:00:00.001Z", "period_invalid"),
            ("2019-12-31T23:59:59.999Z", "2020-12-31T23:59:59.999Z", nil),
            ("2020-02-29T00:00:00.000Z", "2021-02-28T00:00:00.000Z", nil),
            ("2020-02-29T00:00:00.000Z", "2021-03-01T00:00:00.000Z", "period_invalid"),
            ("2018-03-06T12:00:00.000Z", "2118-03-06T12:00:00.000Z", "period_invalid"),
            ("9999-01-01T00:00:00.000Z", "9999-06-01T00:00:00.000Z", "period_invalid"),
        ] as [(String, String, String?)] {
            #expect(permissionCode { try terms(start, end) } == expected, "\(start) \(end)")
        }
    }

    @Test func granteesAreBounded() throws {
        let all = (0...PermissionTerms.granteeLimit).map {
            CsiExamples.guid("22222222-aaaa-4bbb-8ccc-\(String(100_000_000_000 + $0))")
        }
        let period = ("2018-03-06T12:00:00.000Z", "2018-03-07T12:00:00.000Z")
        #expect(permissionCode { try terms(period.0, period.1, grantees: Array(all.dropLast())) } == nil)
        for wrong in [all, [], [CsiExamples.app, CsiExamples.app]] {
            #expect(permissionCode { try terms(period.0, period.1, grantees: wrong) } == "bad_field")
        }
    }

    @Test func aScopeHasKnownValues() throws {
        let json = try CsiExamples.terms().scope.json
        #expect(try PermissionScope(json: json).json == json)
        for (name, values) in [
            ("accessType", ["delete", "", "Read", "*"] as [JSON]), ("confidentialityScope", ["X", "", "n", "N,R"]),
            ("permissionType", ["user", ""]),
            (
                "resourceScope",
                ["", "patient", "Patient,", "Patient,Patient", "*,Patient", "Patient Observation", "**"]
            ),
            ("sensitivityScope", [["ETH", "ETH"], [""], ["a b"], .array((0..<65).map { .string("C\($0)") })]),
        ] {
            for value in values {
                var json = json
                json[name] = value
                #expect(permissionCode { _ = try PermissionScope(json: json) } == "bad_field", "\(name)")
            }
        }
        for (text, types) in [("*", .all), ("Patient,Observation", .listed(["Patient", "Observation"]))]
            as [(String, PermissionScope.Types)]
        {
            var json = json
            json["resourceScope"] = .string(text)
            #expect(try PermissionScope(json: json).types == types && types.text == text)
        }
        #expect(permissionCode { _ = try PermissionScope(access: .read, types: .listed([])) } == "bad_field")
    }

    @Test func claimsAreTheFiveOfTheDocument() throws {
        let claims = PublicClaims(dateOfBirth: "1980-01-01", firstName: "Zoë", lastName: "O'Neill", gender: "f")
        #expect(try PublicClaims(json: claims.json) == claims && !claims.isEmpty && PublicClaims().isEmpty)
        #expect(
            claims.signedText
                == #"[{"key": "DateofBirth", "value": "1980-01-01"},{"key": "FirstName", "value": "Zoë"},"#
                + #"{"key": "MiddleName", "value": ""},{"key": "LastName", "value": "O'Neill"},"#
                + #"{"key": "Gender", "value": "f"}]"#)
        let list = try #require(claims.json.array)
        for wrong in [[], Array(list.dropLast()), list + [list[0]], list.reversed(), [["DateofBirth": ""]]] as [[JSON]]
        {
            #expect(permissionCode { _ = try PublicClaims(json: .array(wrong)) } == "malformed")
        }
        let long = PublicClaims(firstName: String(repeating: "a", count: 257)).json
        #expect(permissionCode { _ = try PublicClaims(json: long) } == "bad_field")
    }

    // MARK: Canonical JSON

    /// The texts of RFC 8785 section 3.2.2, and the order of section 3.2.3.
    @Test func examplesOfTheStandardAreWritten() throws {
        let text = #"{"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[true,false]}"#
        #expect(
            try CanonicalMessage.data(JSON(parsing: text))
                == Data(#"{"literals":[true,false],"string":"€$\u000f\nA'B\"\\\\\"/"}"#.utf8))
        let order =
            #"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","#
            + #""\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#
        let written = try #require(JSON(reading: CanonicalMessage.data(JSON(parsing: order)))?.object)
        #expect(
            written.members.map(\.value) == [
                "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign",
                "Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh",
            ])
    }

    @Test func numbersAndNullAreRefused() {
        for value in [JSON.null, 1, ["a": 1], [["a": .null]], ["a": ["b": [true, 0]]]] {
            #expect(permissionCode { _ = try CanonicalMessage.data(value) } == "malformed")
        }
    }

    /// Python's json writes the same, with names sorted by UTF-16.
    @Test(.enabled(if: (try? ExternalTool.run("python3", ["--version"])) != nil))
    func pythonWritesTheSame() throws {
        var random = Seeded.fresh()
        func text() -> String {
            let scalars = (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(
                        in: 0...[0x7F, 0xFF, 0xFFFF, 0x10FFFF].randomElement(using: &random)!, using: &random)
                )
            }
            return String(String.UnicodeScalarView(scalars))
        }
        func value(_ depth: Int) -> JSON {
            switch Int.random(in: 0...(depth > 3 ? 1 : 3), using: &random) {
            case 0: .string(text())
            case 1: .bool(Bool.random(using: &random))
            case 2: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1) })
            default:
                JSON(
                    (0..<Int.random(in: 0...5, using: &random)).map { _ in .init(key: text(), value: value(depth + 1)) }
                )
            }
        }
        let values = (0..<200).map { _ in value(0) }
        let script = """
            import json, sys
            def write(v):
                if isinstance(v, dict):
                    names = sorted(v, key=lambda n: n.encode('utf-16-be'))
                    return '{' + ','.join(write(n) + ':' + write(v[n]) for n in names) + '}'
                if isinstance(v, list): return '[' + ','.join(map(write, v)) + ']'
                return json.dumps(v, ensure_ascii=False)
            for line in sys.stdin.buffer.read().split(b'\\n'):
                sys.stdout.buffer.write(write(json.loads(line)).encode() + b'\\n')
            """
        let input = values.map { $0.text() }.joined(separator: "\n")
        let output = try ExternalTool.run("python3", ["-c", script], input: Data(input.utf8))
        let own = try values.map { try CanonicalMessage.data($0) + Data("\n".utf8) }.reduce(Data(), +)
        #expect(output == own)
    }

    // MARK: Answers

    @Test func answersAreReadAsTheyAreWritten() throws {
        let terms = try CsiExamples.terms()
        let record = PermissionRecord(
            id: "p1", grantor: CsiExamples.wallet, grantees: terms.grantees, start: terms.start, end: terms.end,
            timeStamp: terms.timeStamp, scope: terms.scope, status: .active, parent: "p0", consent: "c1",
            signature: "MEU=", version: .v2)
        #expect(PermissionRecord(json: record.json) == record)
        var short = record
        (short.parent, short.consent, short.signature, short.version) = (nil, nil, nil, nil)
        #expect(PermissionRecord(json: short.json) == short)
        let list = PermissionsAnswer(permissions: [record, short])
        #expect(PermissionsAnswer(json: list.json) == list)
        #expect(PermissionsAnswer(json: ["permissions": [1]]) == nil)
        let csi = CsiAnswer(csi: CsiExamples.wallet, patient: "Patient/p1")
        #expect(CsiAnswer(json: csi.json) == csi)
        let time = ServerTimeAnswer(time: CsiExamples.time)
        #expect(ServerTimeAnswer(json: time.json) == time)
        let guid = NewGuidAnswer(guid: CsiExamples.app)
        #expect(NewGuidAnswer(json: guid.json) == guid)
        let claims = ClaimsAnswer(claims: PublicClaims(gender: "f"), applicationClass: "app")
        #expect(ClaimsAnswer(json: claims.json) == claims)
        let grant = GrantAnswer(permissions: ["p1", "p2"])
        #expect(GrantAnswer(json: grant.json) == grant)
        let end = EndAnswer(revoked: 3)
        #expect(EndAnswer(json: end.json) == end)
    }

    @Test func errorsHaveACodeAndAStatus() throws {
        for reason in PermissionError.Reason.allCases {
            let refusal = try #require(
                PermissionRefusal(json: PermissionError(reason, "A sentence.").json(requestID: "r1")))
            #expect(refusal.reason == reason && refusal.requestID == "r1" && (400...503).contains(reason.status))
        }
        #expect(PermissionRefusal(json: ["status": "error", "error": "later_code"])?.reason == nil)
        for wrong in [["status": "ok", "error": "a"], ["error": "a"], ["status": "error", "error": "A\n"]] as [JSON] {
            #expect(PermissionRefusal(json: wrong) == nil)
        }
    }
}
