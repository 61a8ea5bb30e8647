import CXML2
import Foundation
import HealthData
import TestSupport
import Testing

@testable import AppleHealthExport

/// Records the reported tags as text: one line for each.
private struct MarkupLog: MarkupEvents {
    var lines: [String] = []
    var problems = 0
    let isFinished = false

    mutating func begin(_ element: ExportElement, _ attributes: MarkupAttributes, isEmpty: Bool) {
        let pairs = attributes.texts().sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        lines.append(([element.text] + pairs).joined(separator: "|"))
        if isEmpty { end(element) }
    }
    mutating func end(_ element: ExportElement) { lines.append("/" + element.text) }
    mutating func problem() { problems += 1 }
}

@Suite struct MarkupTests {
    /// Returns the tags that the scanner finds, and the number of faults.
    private func scan(_ text: String) -> MarkupLog {
        var bytes = Array(text.utf8)
        var scanner = MarkupScanner(MarkupLog())
        let used = bytes.withUnsafeMutableBufferPointer { scanner.scan($0, isLast: true) }
        #expect(used == bytes.count)
        return scanner.events
    }

    /// Returns the tags that libxml2 finds, or nil if the text is not well-formed.
    private func reference(_ text: String) -> [String]? {
        final class Log { var lines: [String] = [] }
        let log = Log()
        var handler = xmlSAXHandler()
        handler.initialized = 0xDEED_BEAF
        handler.startElementNs = { user, name, _, _, _, _, count, _, fields in
            guard let user, let name else { return }
            let log = Unmanaged<Log>.fromOpaque(user).takeUnretainedValue()
            var pairs: [String] = []
            for index in 0..<Int(count) {
                guard let name = fields?[index * 5], let start = fields?[index * 5 + 3],
                    let end = fields?[index * 5 + 4]
                else { continue }
                let value = UnsafeBufferPointer(start: start, count: end - start)
                // libxml2 leaves the ampersand as a reference if entities are not replaced.
                let text = String(decoding: value, as: UTF8.self).replacingOccurrences(of: "&#38;", with: "&")
                pairs.append(String(cString: name) + "=" + text)
            }
            let element = ExportElement(UnsafeBufferPointer(start: name, count: strlen(String(cString: name))))
            log.lines.append(([element.text] + pairs.sorted()).joined(separator: "|"))
        }
        handler.endElementNs = { user, name, _, _ in
            guard let user, let name else { return }
            let element = ExportElement(UnsafeBufferPointer(start: name, count: strlen(String(cString: name))))
            Unmanaged<Log>.fromOpaque(user).takeUnretainedValue().lines.append("/" + element.text)
        }
        let bytes = Array(text.utf8).map { CChar(bitPattern: $0) }
        let status = xmlSAXUserParseMemory(
            &handler, Unmanaged.passUnretained(log).toOpaque(), bytes, Int32(bytes.count))
        return status == 0 ? log.lines : nil
    }

    @Test func scannerReportsTheSameAsLibxml2ForWellFormedDocuments() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        let names = ["Record", "Workout", "MetadataEntry", "Correlation", "x", "Me", "WorkoutEvent", "é"]
        let values = [
            "", "72", "a b", "a>b", "&lt;&lt;HKDevice: 0x1&gt;, name:Watch", "&amp;amp;", "&#65;&#x1F600;", "Robin’s",
            "'", "/>", "-->", "]]>", "&quot;x&apos;", "a  =  b",
        ]
        func piece(_ depth: Int) -> String {
            let name = names.randomElement(using: &random) ?? "x"
            var text = "<" + name
            for index in 0..<Int.random(in: 0...4, using: &random) {
                let blank = ["", " ", "\n"].randomElement(using: &random) ?? ""
                let value = values.randomElement(using: &random) ?? ""
                text += " \n".prefix(Int.random(in: 1...2, using: &random))
                text += "a\(index)\(blank)=\(blank)" + (value.contains("'") ? "\"\(value)\"" : "'\(value)'")
            }
            if depth > 3 || Bool.random(using: &random) { return text + (Bool.random(using: &random) ? " />" : "/>") }
            text += ">"
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0: text += "<!-- <Record a='1'> \" ' -->"
                case 1: text += "<![CDATA[<Record ]] > ' ]]>"
                case 2: text += "<?pi <x> ' ?>"
                case 3: text += "text & more".replacingOccurrences(of: "&", with: "&amp;")
                default: text += piece(depth + 1)
                }
            }
            return text + "</\(name)>"
        }
        for _ in 0..<300 {
            let text = piece(0)
            let log = scan(text)
            let wanted = try #require(reference(text), "seed \(seed): \(text)")
            #expect(log.lines == wanted && log.problems == 0, "seed \(seed): \(text)")
        }
    }

    @Test func invalidReferenceIsReplacedByAMark() {
        for text in ["7&xxe;2", "7&2", "7&#11;2", "7&#xD800;2", "7&;2", "7&#+50;2", "7&thisistoolong;2"] {
            #expect(scan("<Record value='\(text)'/>").lines.first?.contains("\u{7F}") == true, "\(text)")
        }
        #expect(scan("<Record value='7&#50;'/>").lines.first == "Record|value=72")
    }

    @Test(arguments: [
        "<Record a=1 b='2'/>", "<Record 'x' b='2'/>", "<Record a=='1' b='2'/>",
        "<Record b='2' / c>", "< <Record b='2'/>", "<Record b='2'<Record b='2'/>", "<Record b='2' \"",
    ])
    func faultyMarkupDoesNotAffectLaterElements(text: String) {
        let log = scan("<HealthData>" + text + "><Me b='3'/></HealthData>")
        #expect(log.lines.contains("Record|b=2") || text.hasPrefix("<Record b='2' \""), "\(log.lines)")
        #expect(log.lines.contains("Me|b=3") || text.hasSuffix("\""), "\(log.lines)")
    }
}
