import Foundation
import Testing
import Wire

@testable import Outbox

/// The sender of a response, determined from its bytes.
@Suite struct SubmissionAnswerTests {
    private static let submissionID = "6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10"
    private static let other = "00000000-53f4-4b7c-9a52-0c3d8b4a9f10"

    private func mark(
        _ body: String, status: Int = 200, format: EnvelopeFormat = .jwe
    ) -> SubmissionAnswer.Mark {
        SubmissionAnswer(
            TransportResponse(status: status, body: Data(body.utf8)), to: Self.submissionID, sentAs: format, now: Date()
        ).mark
    }

    @Test func responsesOfTheStudyAreRecognised() {
        for format in EnvelopeFormat.allCases {
            #expect(
                mark(#"{"status":"received","submission":"\#(Self.submissionID)"}"#, format: format) == .acknowledged)
            #expect(
                mark(
                    #"{"submission":"\#(Self.submissionID.uppercased())","status":"stored","later":[1]}"#,
                    format: format)
                    == .acknowledged)
            let problem = #"{"code":"submission-conflict","status":409,"submission":"\#(Self.submissionID)"}"#
            #expect(mark(problem, status: 409, format: format) == .problem(code: "submission-conflict"))
        }
    }

    @Test(arguments: [
        "", " ", "OK", "null", "[]", "{}", "<html><body>Down for maintenance</body></html>", #"{"status":"ok"}"#,
        #"{"status":"received"}"#, #"{"submission":"6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10"}"#,
        #"{"status":"","submission":"6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10"}"#,
        #"{"status":"received","submission":"00000000-53f4-4b7c-9a52-0c3d8b4a9f10"}"#,
        #"{"status":"received","submission":null}"#, #"{"status":"received","submission":""}"#,
        #"{"code":"blocked"}"#, #"{"error":"blocked","submission":"6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10"}"#,
        #"{"code":"x","submission":"00000000-53f4-4b7c-9a52-0c3d8b4a9f10"}"#,
        #"{"code":"Not a word\n","submission":"6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10"}"#,
        #"{"code":1,"submission":"6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10"}"#,
    ])
    func responsesWithoutTheMarkAreNotTheStudys(body: String) {
        #expect(mark(body) == .none)
        #expect(mark(body, status: 404) == .none)
    }

    @Test func emptyResponseOfAC3PROServerSettlesAndAPageDoesNot() {
        #expect(mark("", format: .c3pro) == .acknowledged)
        for page in [" ", "OK", "<html>", "{}", #"{"status":"received","submission":"\#(Self.other)"}"#] {
            #expect(mark(page, format: .c3pro) == .none)
        }
        // Its refusals contain a code; they must not name another submission.
        #expect(
            mark(#"{"code":"envelope-malformed"}"#, status: 400, format: .c3pro) == .problem(code: "envelope-malformed")
        )
        #expect(mark(#"{"code":"x","submission":"\#(Self.other)"}"#, status: 400, format: .c3pro) == .none)
        #expect(mark("<html>", status: 400, format: .c3pro) == .none)
    }

    @Test func aPageOfAnySizeIsNotRead() {
        let long =
            #"{"status":"received","submission":"\#(Self.submissionID)","x":""# + String(repeating: "x", count: 65_536)
        #expect(mark(long + "\"}") == .none)
    }

    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("86400", 86_400), ("86401", 86_400), ("9223372036854775807", 86_400),
            ("9223372036854775808", 86_400), (String(repeating: "9", count: 4_000), 86_400),
            (String(repeating: "0", count: 4_000) + "5", 5), ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ] as [(String, Double)])
    func retryAfterIsLimitedToADay(text: String, seconds: Double) {
        let response = TransportResponse(status: 503, headers: ["Retry-After": text])
        #expect(response.retryAfter(now: Date(timeIntervalSince1970: 1_800_000_000)) == seconds)
    }

    @Test(arguments: ["", "1e400", "-5", "+5", "1.5", "soon", "٣", "inf", "nan", "0x10"])
    func invalidRetryAfterIsIgnored(text: String) {
        let response = TransportResponse(status: 503, headers: ["Retry-After": text])
        #expect(response.retryAfter(now: Date()) == nil)
    }

    @Test(arguments: [-Double.infinity, -1, 0, Double.nan]) func pauseAcceptsAnyNumber(seconds: Double) async throws {
        try await DeviceEnvironment.pause(seconds)
    }

    @Test(arguments: [Double.infinity, 1e300, 9.3e18]) func endlessPauseEndsWithItsTask(seconds: Double) async {
        let task = Task { try await DeviceEnvironment.pause(seconds) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
