import Foundation
import StudyFiles
import Testing

@Suite struct TributaryVersionTests {
    @Test func versionIsTheNewestHeadingOfTheChangelog() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let changelog = try String(contentsOf: root.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(changelog.firstMatch(of: /(?m)^## (\d+\.\d+\.\d+)\b/))
        #expect(TributaryVersion.text == newest.output.1)
    }
}
