package org.slipstream.agent;

/**
 * The classes that a process loads until its first connection is there, but for those of the JDK's
 * own archive, which take no time. {@code StartIT} fails if many are missing, or one is no class
 * any more, and prints what to put here.
 */
final class FirstSocketClasses {
  /** A line for each package, or some: its name, a colon, and the names of classes. */
  static final String NAMES =
      """
      java.io: BufferedReader EOFException InputStreamReader Reader UncheckedIOException
      java.lang: IllegalAccessException IllegalStateException InterruptedException
      java.lang: MatchException StableValue Thread$Builder Thread$Builder$OfPlatform
      java.lang: ThreadBuilders ThreadBuilders$BaseThreadBuilder
      java.lang: ThreadBuilders$PlatformThreadBuilder UnsupportedOperationException
      java.lang.foreign: Arena MemorySegment SegmentAllocator
      java.lang.invoke: TypeConvertingMethodAdapter$1 TypeConvertingMethodAdapter$BoxHolder
      java.net: InetSocketAddress$InetSocketAddressHolder ProtocolFamily Proxy$Type
      java.net: ProxySelector SocketOption StandardProtocolFamily
      java.nio.channels: AsynchronousCloseException ClosedByInterruptException
      java.nio.channels: ClosedChannelException FileChannel$MapMode FileLock
      java.nio.channels: FileLockInterruptionException IllegalBlockingModeException
      java.nio.channels: NonReadableChannelException NonWritableChannelException SelectionKey
      java.nio.channels: Selector
      java.nio.channels.spi: AbstractSelectionKey AbstractSelector AbstractSelector$1
      java.nio.channels.spi: SelectorProvider SelectorProvider$Holder
      java.nio.charset: CharsetDecoder
      java.nio.file.attribute: FileOwnerAttributeView PosixFileAttributeView
      java.util: AbstractQueue PriorityQueue
      java.util.concurrent: ConcurrentLinkedQueue ConcurrentLinkedQueue$Node CountDownLatch$Sync
      java.util.concurrent: ThreadLocalRandom$Access ThreadLocalRandom$Access$1
      java.util.concurrent.atomic: AtomicBoolean
      java.util.function: BooleanSupplier LongSupplier
      jdk.internal.access: JavaUtilConcurrentTLRAccess
      jdk.internal.access.foreign: UnmapperProxy
      jdk.internal.event: Event SocketReadEvent SocketWriteEvent
      jdk.internal.lang.stable: StableValueImpl
      jdk.internal.ref: CleanerImpl$InnocuousThreadFactory
      jdk.internal.util: OperatingSystem
      jdk.net: ExtendedSocketOptions ExtendedSocketOptions$1 ExtendedSocketOptions$2
      jdk.net: ExtendedSocketOptions$ExtSocketOption ExtendedSocketOptions$PlatformSocketOptions
      jdk.net: LinuxSocketOptions UnixDomainPrincipal
      sun.invoke.util: BytecodeDescriptor
      sun.net: NetHooks NetHooks$Provider NetProperties
      sun.net.ext: ExtendedSocketOptions
      sun.net.sdp: SdpProvider
      sun.net.spi: DefaultProxySelector DefaultProxySelector$NonProxyInfo
      sun.nio.ch: DefaultSelectorProvider EPoll EPollSelectorImpl EPollSelectorProvider EventFD
      sun.nio.ch: FileChannelImpl$DefaultUnmapper FileChannelImpl$SyncUnmapper
      sun.nio.ch: FileChannelImpl$Unmapper FileLockImpl FileLockTable Net Net$1 SelectionKeyImpl
      sun.nio.ch: SelectorImpl SelectorProviderImpl SocketDispatcher UnixDispatcher Util$2
      sun.nio.cs: StreamDecoder UTF_8$Decoder
      sun.nio.fs: AbstractBasicFileAttributeView$AttributesBuilder UnixFileAttributeViews$Posix
      sun.nio.fs: UnixFileAttributeViews$Unix
      org.slipstream.agent: FileSeams FileSeams$$0 NativeTransportWatch
      org.slipstream.core.api: ConnectionState Counter Counter$Kind Counter$Unit Flow Reason
      org.slipstream.core.api: StreamStatus
      org.slipstream.core.config: SlipstreamConfig
      org.slipstream.core.doorbell: Descriptors DoorbellSource
      org.slipstream.core.events: RecordedSessions Recording
      org.slipstream.core.identity: ConnectionNames FirstSegments SegmentHead TcpRoundTrip
      org.slipstream.core.ring: Doorbell
      org.slipstream.core.rules: RuleBook Rules
      org.slipstream.core.session: AcceptedStreams Admission Admission$$0 Backends Backends$$1
      org.slipstream.core.session: Backends$$2 Backends$$3 Backlog ControlThread
      org.slipstream.core.session: ControlThread$$0 ControlThread$Loop ControlThread$Timer
      org.slipstream.core.session: EligibleStreams EligibleStreams$$0 FrameHandler LinkTable
      org.slipstream.core.session: LinkTable$Losses LostStreams Nudger OfferDelay Offers
      org.slipstream.core.session: PathBeacons Probes SlipstreamCore SlipstreamCore$$0
      org.slipstream.core.session: SlipstreamCore$$1 SlipstreamCore$$10 SlipstreamCore$$11
      org.slipstream.core.session: SlipstreamCore$$12 SlipstreamCore$$13 SlipstreamCore$$14
      org.slipstream.core.session: SlipstreamCore$$15 SlipstreamCore$$16 SlipstreamCore$$2
      org.slipstream.core.session: SlipstreamCore$$3 SlipstreamCore$$4 SlipstreamCore$$5
      org.slipstream.core.session: SlipstreamCore$$6 SlipstreamCore$$7 SlipstreamCore$$8
      org.slipstream.core.session: SlipstreamCore$$9 SlipstreamCore$Registration SlowCarriers
      org.slipstream.core.session: TranslatedStreams TranslatedStreams$1
      org.slipstream.core.session: TranslatedStreams$Claims Transports Visibility
      org.slipstream.core.status: EndedStreams NativeTransports SessionJournal SessionJournal$$0
      org.slipstream.core.status: SlipstreamBean StreamJournal
      org.slipstream.core.stream: Buffers Closer ConnectionError ControlByteWriter ControlIntake
      org.slipstream.core.stream: ControlParser CreditWait DeadlineLock DirectionCounters
      org.slipstream.core.stream: DirectionCounters$$0 DirectionCounters$1 FileEnd Inbound
      org.slipstream.core.stream: InboundReadiness InterruptScope LastDoorbell LinkJoin
      org.slipstream.core.stream: LinkRelease LinkSlot NoDelay Outbound OutboundSwitch
      org.slipstream.core.stream: OverflowRule PlainReader ReaderSleep Readiness RingEnd Stream
      org.slipstream.core.stream: Stream$Signals StreamContext StreamHost StreamLink$LinkControl
      org.slipstream.core.stream: StreamSignals StreamState TcpReader Total Total$$0 Total$1
      org.slipstream.core.stream: Total$Way WaitingConnection
      org.slipstream.core.upgrade: ReceiveSwitch ReceiveSwitch$State SendSwitch SendSwitch$State
      org.slipstream.core.wait: LoadSensor SpinBudget Spinner Spinner$Condition StreamLock Turns
      org.slipstream.core.wait: WaitClock
      org.slipstream.ntb: NtbSettings NtbTransport
      org.slipstream.provider.net: BufferCache LostSocket ProxyBypass SlipstreamSocketImpl
      org.slipstream.provider.net: SlipstreamSocketImpl$$0 SlipstreamSocketImpl$$1
      org.slipstream.provider.net: SocketConnection SocketConnection$$0 SocketData SocketInput
      org.slipstream.provider.net: SocketOutput SocketScope SocketSettings SocketState
      org.slipstream.provider.net: SocksRoute SocksRoute$Preparation SocksRoute$Question
      org.slipstream.provider.nio: ChannelInternals DefaultProvider DefaultProvider$$0 FileSeam
      org.slipstream.provider.nio: FileSeam$Kind Installation$$0 Installation$Holder
      org.slipstream.provider.nio: Installation$Leaving InstalledChannels JdkDescriptors
      org.slipstream.provider.nio: JdkLinking KernelWait LiveKeys SlipstreamChannels
      org.slipstream.provider.nio: SlipstreamSelectorProvider SlipstreamSocketChannel
      org.slipstream.provider.nio: SlipstreamSocketChannel$Scope TcpBackedChannel TimedReads
      org.slipstream.provider.older: OpenedChannels OpenedChannels$Maker
      org.slipstream.rdma: FabricAddresses RailUse RdmaAvailability RdmaAvailability$$0
      org.slipstream.rdma: RdmaAvailability$$1 RdmaAvailability$$2 RdmaDevices RdmaSettings
      org.slipstream.rdma: RdmaSettings$$0 RdmaSettings$$1 RdmaSettings$$2 RdmaTransport
      org.slipstream.shm: Holes Holes$$0 Holes$$1 OverflowUser Residence RingSizes ShmEndpoint
      org.slipstream.shm: ShmEndpoint$$0 ShmSession$Home ShmTransport
      org.slipstream.transport: Availability CLibrary CLibrary$Linking ClusterKey Endpoint
      org.slipstream.transport: HostLines LazyLogger MemoryBudget MemoryEndpoint MemoryFaults
      org.slipstream.transport: MemoryShortage Reactor Reactor$Handler Transport TransportHost
      """;

  private FirstSocketClasses() {}
}
