import FHIR

/// The points of a route as series of equal length, one for each measured quantity.
public struct RouteTrack: Sendable, Hashable {
    /// A point with the numbers of its source.
    public struct Point: Sendable, Hashable {
        /// Milliseconds since 1970-01-01T00:00:00Z.
        public var time: Int64
        /// Coordinates in degrees.
        public var latitude: String
        public var longitude: String
        /// Metres above sea level.
        public var elevation: String?
        /// Speed in metres per second; negative means unknown, as in Core Location.
        public var speed: String?
        /// Course in degrees clockwise from north; negative means unknown.
        public var course: String?
        /// Accuracy in metres; negative means that latitude and longitude are unknown.
        public var horizontalAccuracy: String?
        /// Accuracy in metres; negative means that the elevation is unknown.
        public var verticalAccuracy: String?

        public init(
            time: Int64, latitude: String, longitude: String, elevation: String? = nil, speed: String? = nil,
            course: String? = nil, horizontalAccuracy: String? = nil, verticalAccuracy: String? = nil
        ) {
            self.time = time
            self.latitude = latitude
            self.longitude = longitude
            self.elevation = elevation
            self.speed = speed
            self.course = course
            self.horizontalAccuracy = horizontalAccuracy
            self.verticalAccuracy = verticalAccuracy
        }
    }

    /// The earliest and the latest time, in milliseconds since 1970-01-01T00:00:00Z.
    public private(set) var start: Int64 = 0
    public private(set) var end: Int64 = 0
    /// Seconds from the first point; a point that is out of order can have a negative offset.
    public private(set) var offsets = SampledSeries()
    public private(set) var latitudes = SampledSeries()
    public private(set) var longitudes = SampledSeries()
    public private(set) var elevations = SampledSeries()
    public private(set) var speeds = SampledSeries()
    public private(set) var courses = SampledSeries()
    public private(set) var horizontalAccuracies = SampledSeries()
    public private(set) var verticalAccuracies = SampledSeries()
    private var first: Int64 = 0
    private let limit: Int

    /// - Parameter limit: maximum number of bytes in the text of a series.
    public init(limit: Int = SampledSeries.limit) { self.limit = limit }

    /// The number of points.
    public var count: Int { offsets.count }

    var all: [SampledSeries] {
        [
            offsets, latitudes, longitudes, elevations, speeds, courses, horizontalAccuracies, verticalAccuracies,
        ]
    }

    /// Whether no further point can be added: a series would exceed FHIR's maximum length of a string, at some hundred
    /// thousand points.
    public var isFull: Bool {
        let threshold = limit - 40
        return offsets.length > threshold || latitudes.length > threshold || longitudes.length > threshold
            || elevations.length > threshold || speeds.length > threshold || courses.length > threshold
            || horizontalAccuracies.length > threshold || verticalAccuracies.length > threshold
    }

    /// Adds a point.
    ///
    /// - Returns: false if the point is not added: its coordinates or its time are out of range, or the track is full.
    public mutating func add(_ point: Point) -> Bool {
        let seconds = point.time / 1000
        guard !isFull, HealthInstant.believable.contains(seconds),
            let latitude = number(point.latitude, in: -90...90),
            let longitude = number(point.longitude, in: -180...180)
        else { return false }
        if let accuracy = point.horizontalAccuracy, accuracy.hasPrefix("-") { return false }
        if count == 0 {
            first = point.time
            start = point.time
            end = point.time
        }
        start = min(start, point.time)
        end = max(end, point.time)
        offsets.append(JSONNumber(text: Self.seconds(point.time - first)))
        latitudes.append(latitude)
        longitudes.append(longitude)
        let isHeightKnown = point.verticalAccuracy?.hasPrefix("-") != true
        elevations.append(isHeightKnown ? number(point.elevation, in: -12_000...100_000) : nil)
        speeds.append(number(point.speed, in: 0...10_000))
        courses.append(number(point.course, in: 0...360))
        horizontalAccuracies.append(number(point.horizontalAccuracy, in: 0...1e6))
        verticalAccuracies.append(number(point.verticalAccuracy, in: 0...1e6))
        return true
    }

    private func number(_ text: String?, in range: ClosedRange<Double>) -> JSONNumber? {
        guard let text, text.utf8.count <= 32, let (number, _) = try? NumberText.read(text),
            range.contains(number.double)
        else { return nil }
        return number
    }

    /// Returns milliseconds as seconds, with the necessary decimal places.
    private static func seconds(_ milliseconds: Int64) -> String {
        let rest = milliseconds.magnitude % 1000
        let whole = (milliseconds < 0 ? "-" : "") + String(milliseconds.magnitude / 1000)
        guard rest > 0 else { return whole }
        var decimals = String(repeating: "0", count: rest < 10 ? 2 : rest < 100 ? 1 : 0) + String(rest)
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return whole + "." + decimals
    }
}
