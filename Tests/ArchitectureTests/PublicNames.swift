/// The names of types that an app has in view without saying a module: those of Swift, Foundation and SwiftUI. A library's
/// type of the same name makes each of its uses ambiguous, or hides the other.
enum TakenNames {
    static let all = Set((swift + foundation + swiftUI).split(whereSeparator: \.isWhitespace).map(String.init))

    private static let swift = """
        Actor AnyActor AnyBidirectionalCollection AnyClass AnyCollection AnyHashable AnyIndex AnyIterator AnyKeyPath
        AnyObject AnyRandomAccessCollection AnySequence Array ArrayLiteral ArraySlice AsyncIteratorProtocol AsyncSequence
        AsyncStream AsyncThrowingStream BidirectionalCollection BinaryFloatingPoint BinaryInteger BitwiseCopyable Bool
        CancellationError CaseIterable Character CheckedContinuation ClosedRange Clock CodingKey Codable Collection
        Comparable ContiguousArray ContinuousClock Copyable CustomReflectable CustomStringConvertible Decodable Decoder
        DecodingError DefaultIndices Dictionary DiscardingTaskGroup Double Duration Encodable Encoder EncodingError
        EnumeratedSequence Equatable Error Escapable Executor FixedWidthInteger Float Float16 FloatingPoint GlobalActor
        Hashable Hasher Identifiable Identifier Index Instant InstantProtocol Int Int8 Int16 Int32 Int64 Int128 Iterator
        IteratorProtocol Job Key KeyPath KeyValuePairs LazySequence ManagedBuffer MainActor MemoryLayout Mirror Never
        ObjectIdentifier Observable Observation ObservationRegistrar OpaquePointer OptionSet Optional PartialKeyPath Predicate
        RandomAccessCollection RandomNumberGenerator Range RangeExpression RangeReplaceableCollection RangeSet
        RawRepresentable Reference Regex RegexComponent Repeated Result Sendable Sequence SerialExecutor Set SetAlgebra
        SignedInteger SignedNumeric Slice Span StaticString Strideable String StringProtocol Substring SuspendingClock
        SystemRandomNumberGenerator Task TaskGroup TaskLocal TaskPriority TextOutputStream ThrowingTaskGroup UInt UInt8
        UInt16 UInt32 UInt64 Unicode UnicodeScalar Unmanaged UnsafePointer UnsignedInteger Void WritableKeyPath Zip2Sequence
        """

    private static let foundation = """
        AffineTransform AttributeContainer AttributedString AttributeScopes BlockOperation Bundle ByteCountFormatter Calendar
        CharacterSet CocoaError ComparisonResult Connection Coder Data DataProtocol Date DateComponents DateFormatter
        DateInterval Decimal Dimension DispatchTime DistributedNotificationCenter Expression FileAttributeKey FileHandle
        FileManager FileProtectionType FileWrapper FormatStyle Formatter Host HTTPCookie HTTPURLResponse IndexPath IndexSet
        InputStream InflectionRule ISO8601DateFormatter JSONDecoder JSONEncoder JSONSerialization KeyPathComparator
        LengthFormatter ListFormatter Locale LocalizedError LocalizedStringKey LocalizedStringResource Measurement
        MeasurementFormatter MassFormatter Message Morphology NotificationCenter Notification NumberFormatter Operation
        OperationQueue OutputStream PersonNameComponents Pipe Port PredicateExpressions Process ProcessInfo Progress
        PropertyListDecoder PropertyListEncoder ReferenceConvertible RelativeDateTimeFormatter RunLoop Scanner SortComparator
        SortDescriptor SortOrder Stream StringTransform TermOfAddress Thread TimeInterval TimeZone Timer URL URLCache
        URLComponents URLCredential URLError URLQueryItem URLRequest URLResourceValues URLResponse URLSession
        URLSessionConfiguration UndoManager Unit UnitDuration UnitEnergy UnitLength UnitMass UnitTemperature UserDefaults UUID
        ValueTransformer XMLDocument XMLElement XMLNode XMLParser
        """

    private static let swiftUI = """
        Alert Alignment Anchor Angle AngularGradient Animatable Animation AnyLayout AnyShape AnyShapeStyle AnyTransition
        AnyView App AppStorage Axis Binding BlendMode Button ButtonRole ButtonStyle Canvas Capsule Circle Color ColorPicker
        ColorScheme Commands ContainerRelativeShape ContentMode ContentShapeKinds ContentSizeCategory ContentUnavailableView
        ControlGroup ControlSize CoordinateSpace CustomAnimation DatePicker DisclosureGroup Divider DragGesture DropInfo
        DynamicProperty DynamicTypeSize Edge EdgeInsets EditButton EditMode Ellipse EllipticalGradient EmptyView Entry
        Environment EnvironmentKey EnvironmentObject EnvironmentValues EventModifiers FetchRequest FillStyle FocusState
        FocusedValue Font ForEach Form Gauge GeometryProxy GeometryReader Gesture GestureState Gradient GraphicsContext Grid
        GridItem GridRow Group GroupBox HStack HorizontalAlignment Image ImageRenderer InsetShape KeyEquivalent Label
        LabeledContent Layout LayoutDirection LazyHGrid LazyHStack LazyVGrid LazyVStack LinearGradient Link List Material
        Menu MenuStyle Model Namespace NavigationLink NavigationPath NavigationSplitView NavigationStack NavigationView
        ObservedObject OpenURLAction OutlineGroup Path Picker PickerStyle PinnedScrollableViews PlainButtonStyle
        PreferenceKey PresentationDetent Preview PreviewProvider PrimitiveButtonStyle ProgressView ProposedViewSize
        RadialGradient Rectangle RedactionReasons RenameButton RoundedRectangle SafeAreaRegions Scene ScenePhase SceneStorage
        ScrollView ScrollViewProxy Section SectionedFetchRequest SecureField Settings Shape ShapeStyle ShareLink Slider
        Spacer State StateObject Stepper StrokeStyle SubmitLabel Subview Tab TabView Table TableColumn TableRow
        TapGesture Text TextAlignment TextEditor TextField TextFieldStyle TimelineSchedule TimelineView Toggle ToggleStyle
        ToolbarItem ToolbarItemGroup Transaction Transition TupleView UIViewRepresentable UnitPoint VStack VerticalAlignment
        View ViewBuilder ViewDimensions ViewModifier ViewThatFits VisualEffect Window WindowGroup ZStack
        """
}

/// The public types that a library's files declare at the top, outside of any other type.
struct PublicNames {
    /// The files with FHIR's own types, which bear FHIR's names.
    static let ofFHIR = ["Sources/Language/FHIR/Views/Resources/", "Sources/Language/FHIR/Views/DataTypes/"]

    /// The names with the paths of their files.
    let names: [(name: String, path: String)]

    init(of files: [SourceFile]) {
        names = files.filter { file in !PublicNames.ofFHIR.contains { file.path.hasPrefix($0) } }.flatMap { file in
            file.text.split(separator: "\n").compactMap { line in
                guard line.hasPrefix("public ") || line.hasPrefix("@") else { return nil }
                // Code inside a condition is indented. A nested type has the names of both.
                guard
                    let found = line.prefixMatch(
                        of:
                            /(?:@\w+(?:\([^)]*\))? )*public (?:final |indirect )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
                    )
                else { return nil }
                return (String(found.output.1), file.path)
            }
        }
    }

    /// The names that another type of Swift, Foundation or SwiftUI has.
    var taken: [String] { names.filter { TakenNames.all.contains($0.name) }.map { "\($0.path): \($0.name)" } }
}
