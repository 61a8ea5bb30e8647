import FHIR
import HealthData

/// A workout route of an export.
public struct RouteFile: Sendable {
    public let track: RouteTrack
    public let notes: Set<ExportFileNote>
}

/// Reads a workout route: GPX 1.1 (<https://www.topografix.com/GPX/1/1/>) in Apple's form.
///
/// Only the track's points are read. Markup that is not well-formed is skipped. Entities are not resolved, and a
/// document type is refused. Memory is limited by the series of ``RouteTrack``.
public struct RouteReader {
    private var scanner = RouteMarkup()
    private var track: RouteTrack
    private var point: Draft?
    private var field: Field?
    private var isRecognised = false
    private var isEnded = false
    private var bytes = 0
    private var notes: Set<ExportFileNote> = []

    /// The problem of the file.
    public private(set) var problem: ExportFileProblem?

    /// Whether the caller can stop feeding bytes.
    public var isDone: Bool { problem != nil || isEnded || notes.contains(.pointsBeyondLimit) }

    /// Maximum number of bytes that are read from a file.
    public static let maximumBytes = 512 << 20
    /// Number of bytes in which the root element must begin.
    private static let headLength = 64 << 10

    /// The fields of a point, in the order of ``Draft``.
    private enum Field: Int {
        case latitude, longitude, elevation, time, speed, course, horizontalAccuracy, verticalAccuracy

        /// Creates the field of an element inside a point.
        init?(element name: String) {
            switch name {
            case "ele": self = .elevation
            case "time": self = .time
            case "speed": self = .speed
            case "course": self = .course
            case "hAcc": self = .horizontalAccuracy
            case "vAcc": self = .verticalAccuracy
            default: return nil
            }
        }
    }

    /// A point that is not closed yet.
    private struct Draft {
        private var texts = [String?](repeating: nil, count: 8)

        subscript(field: Field) -> String? {
            get { texts[field.rawValue] }
            set { texts[field.rawValue] = newValue }
        }
    }

    public init() { self.init(limit: SampledSeries.limit) }

    init(limit: Int) { track = RouteTrack(limit: limit) }

    public mutating func feed(_ piece: UnsafeRawBufferPointer) {
        guard !isDone else { return }
        var scanner = scanner
        self.scanner = RouteMarkup()
        scanner.feed(piece) { take($0) }
        self.scanner = scanner
        bytes += piece.count
        guard !isDone else { return }
        if !isRecognised, bytes > Self.headLength { problem = .notARoute }
        if bytes > Self.maximumBytes { notes.insert(.pointsBeyondLimit) }
    }

    public mutating func finish() -> Result<RouteFile, ExportFileProblem> {
        if let problem { return .failure(problem) }
        if bytes == 0 { return .failure(.empty) }
        guard isRecognised else { return .failure(.notARoute) }
        if !isEnded, !notes.contains(.pointsBeyondLimit) { notes.insert(.cutOff) }
        if point != nil { notes.insert(.pointsDropped) }
        guard track.count > 0 else { return .failure(.routeWithoutPoints) }
        return .success(RouteFile(track: track, notes: notes))
    }

    /// - Returns: false if the rest is not needed.
    private mutating func take(_ token: RouteMarkup.Token) -> Bool {
        switch token {
        case .documentType: problem = .routeWithDocumentType
        case .begin(let tag):
            let name = tag.name
            if name == "gpx" {
                isRecognised = true
            } else if !isRecognised {
                problem = .notARoute
            } else if name == "trkpt" {
                if point != nil { notes.insert(.pointsDropped) }
                var point = Draft()
                point[.latitude] = tag.attribute("lat")
                point[.longitude] = tag.attribute("lon")
                self.point = point
                field = nil
                if tag.isEmpty { endPoint() }
            } else {
                field = point == nil || tag.isEmpty ? nil : Field(element: name)
            }
        case .text(let text):
            guard let field, point != nil, point?[field] == nil else { break }
            point?[field] = text
        case .end(let name):
            if name == "trkpt" { endPoint() }
            if name == "gpx" { isEnded = true }
            field = nil
        }
        return !isDone
    }

    private mutating func endPoint() {
        guard let point else { return }
        self.point = nil
        guard let time = point[.time].flatMap(RouteTime.milliseconds), let latitude = point[.latitude],
            let longitude = point[.longitude]
        else {
            notes.insert(.pointsDropped)
            return
        }
        let read = RouteTrack.Point(
            time: time, latitude: latitude, longitude: longitude, elevation: point[.elevation], speed: point[.speed],
            course: point[.course], horizontalAccuracy: point[.horizontalAccuracy],
            verticalAccuracy: point[.verticalAccuracy])
        if !track.add(read) { notes.insert(track.isFull ? .pointsBeyondLimit : .pointsDropped) }
    }
}

/// The times of a route.
enum RouteTime {
    /// Returns milliseconds since 1970 for `2019-06-11T22:00:42Z`, with an optional fraction of a second; nil for any
    /// other text.
    static func milliseconds(_ text: String) -> Int64? {
        if let read = exact(text) { return read }
        guard text.utf8.count <= 40 else { return nil }
        var whole = text
        var thousandths: Int64 = 0
        if let point = text.firstIndex(where: { $0 == "." || $0 == "," }) {
            let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty, let value = Int64((digits + "000").prefix(3)) else { return nil }
            thousandths = value
            whole = String(text[..<point]) + text[digits.endIndex...]
        }
        let read = Array(whole.utf8).withUnsafeBufferPointer { ExportDate.readOld($0) }
        return read.map { $0.seconds * 1000 + thousandths }
    }

    /// Parses exactly `2019-06-11T22:00:42Z`, the format of all of Apple's files.
    private static func exact(_ text: String) -> Int64? {
        let bytes = text.utf8
        guard bytes.count == 20 else { return nil }
        var numbers: (Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0)
        for (index, byte) in bytes.enumerated() {
            switch (index, byte) {
            case (4, 0x2D), (7, 0x2D), (10, 0x54), (13, 0x3A), (16, 0x3A), (19, 0x5A): continue
            case (_, 0x30...0x39):
                let digit = Int(byte) - 0x30
                switch index {
                case 0..<4: numbers.0 = numbers.0 * 10 + digit
                case 5, 6: numbers.1 = numbers.1 * 10 + digit
                case 8, 9: numbers.2 = numbers.2 * 10 + digit
                case 11, 12: numbers.3 = numbers.3 * 10 + digit
                case 14, 15: numbers.4 = numbers.4 * 10 + digit
                case 17, 18: numbers.5 = numbers.5 * 10 + digit
                default: return nil
                }
            default: return nil
            }
        }
        guard (1...9999).contains(numbers.0), (1...12).contains(numbers.1),
            (1...CivilDate.daysInMonth(year: numbers.0, month: numbers.1)).contains(numbers.2), numbers.3 < 24,
            numbers.4 < 60, numbers.5 <= 60
        else { return nil }
        let days = CivilDate.days(year: numbers.0, month: numbers.1, day: numbers.2)
        return Int64(days * 86400 + numbers.3 * 3600 + numbers.4 * 60 + numbers.5) * 1000
    }
}
