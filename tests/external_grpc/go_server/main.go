// go_server PORT_FILE old|new [--bare] [--slow]: like ../server, but on grpc-go. Kubernetes' own
// marshaller writes its nodes, and reads nodes and pods. Other messages are read and written field
// by field. It uses nothing else of this source tree.
package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// message is an encoded message.
type message []byte

func (m message) text(field protowire.Number, value string) message {
	return m.bytes(field, []byte(value))
}

func (m message) bytes(field protowire.Number, value []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), value)
}

func (m message) number(field protowire.Number, value int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(value))
}

func (m message) double(field protowire.Number, value float64) message {
	return protowire.AppendFixed64(protowire.AppendTag(m, field, protowire.Fixed64Type), math.Float64bits(value))
}

// each calls visit with every field: the bytes of a text or message, the number of the others.
func (m message) each(visit func(field protowire.Number, bytes []byte, number uint64)) {
	for len(m) > 0 {
		field, kind, size := protowire.ConsumeTag(m)
		if size < 0 {
			panic("no tag")
		}
		m = m[size:]
		var bytes []byte
		var number uint64
		switch kind {
		case protowire.BytesType:
			bytes, size = protowire.ConsumeBytes(m)
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(m)
		case protowire.Fixed64Type:
			number, size = protowire.ConsumeFixed64(m)
		default:
			panic("no kind that the protocol has")
		}
		if size < 0 {
			panic("no value")
		}
		m = m[size:]
		visit(field, bytes, number)
	}
}

// find returns the last field with this number.
func (m message) find(wanted protowire.Number) (bytes message, number int64) {
	m.each(func(field protowire.Number, b []byte, n uint64) {
		if field == wanted {
			bytes, number = b, int64(n)
		}
	})
	return
}

// codec leaves messages as they are on the wire.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error)      { return *v.(*message), nil }
func (codec) Unmarshal(data []byte, v any) error { *v.(*message) = slices.Clone(data); return nil }
func (codec) Name() string                       { return "proto" }

type cloud struct {
	mutex      sync.Mutex
	generation string
	ids        []string
	machines   map[string][]string
	requested  map[string]int64
}

func (c *cloud) groups(context.Context, message) (message, error) {
	var reply message
	for _, id := range c.ids {
		reply = reply.bytes(1, message{}.text(1, id).number(3, 10).text(4, id+" (0:10)"))
	}
	return reply, nil
}

func (c *cloud) targetSize(ctx context.Context, request message) (message, error) {
	id, _ := request.find(1)
	switch string(id) {
	case "broken":
		return nil, status.Error(codes.Internal, "100% broken: \u20ac\n")
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return message{}.number(1, int64(len(c.machines[string(id)]))+c.requested[string(id)]), nil
}

func (c *cloud) nodes(_ context.Context, request message) (message, error) {
	id, _ := request.find(1)
	var reply message
	for _, machine := range c.machines[string(id)] {
		reply = reply.bytes(1, message{}.text(1, machine).bytes(2, message{}.number(1, 1)))
	}
	if string(id) == "sold-out" {
		info := message{}.text(1, "STOCKOUT").text(2, "none left in zone a").number(3, 1)
		reply = reply.bytes(1, message{}.text(1, "wanted-1").bytes(2, message{}.number(1, 2).bytes(2, info)))
	}
	return reply, nil
}

func (c *cloud) increase(_ context.Context, request message) (message, error) {
	_, delta := request.find(1)
	id, _ := request.find(2)
	if delta <= 0 {
		return nil, status.Error(codes.InvalidArgument, "delta")
	}
	c.requested[string(id)] += delta
	return nil, nil
}

func (c *cloud) decrease(_ context.Context, request message) (message, error) {
	_, delta := request.find(1)
	id, _ := request.find(2)
	if delta >= 0 || c.requested[string(id)]+delta < 0 {
		return nil, status.Error(codes.InvalidArgument, "delta")
	}
	c.requested[string(id)] += delta
	return nil, nil
}

func (c *cloud) remove(_ context.Context, request message) (message, error) {
	id, _ := request.find(2)
	var err error
	request.each(func(field protowire.Number, node []byte, _ uint64) {
		if field != 1 {
			return
		}
		machine, _ := message(node).find(1)
		at := slices.Index(c.machines[string(id)], string(machine))
		if at < 0 {
			err = status.Error(codes.NotFound, "no machine "+string(machine))
			return
		}
		c.machines[string(id)] = slices.Delete(c.machines[string(id)], at, at+1)
	})
	return nil, err
}

func (c *cloud) template(_ context.Context, request message) (message, error) {
	id, _ := request.find(1)
	amounts := func(cpu string) v1.ResourceList {
		return v1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("16Gi")}
	}
	node := v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "template-1", UID: "unread", Labels: map[string]string{"pool": string(id)}},
		Spec:       v1.NodeSpec{Taints: []v1.Taint{{Key: "dedicated", Value: string(id), Effect: v1.TaintEffectNoSchedule}}},
		Status:     v1.NodeStatus{Capacity: amounts("4"), Allocatable: amounts("3900m")},
	}
	bytes, err := node.Marshal()
	if c.generation == "old" {
		return message{}.bytes(1, bytes), err
	}
	return message{}.bytes(2, bytes).text(3, "slice"), err
}

// options repeats the defaults without field 1 (the threshold, so 0 in proto3) and field 9, and
// with 90 s in field 8.
func (c *cloud) options(_ context.Context, request message) (message, error) {
	id, _ := request.find(1)
	if string(id) != "web" {
		return nil, nil
	}
	defaults, _ := request.find(2)
	var out message
	defaults.each(func(field protowire.Number, bytes []byte, number uint64) {
		switch {
		case field == 1 || field == 8 || field == 9:
		case field == 2:
			out = out.double(field, math.Float64frombits(number))
		case bytes != nil:
			out = out.bytes(field, bytes)
		default:
			out = out.number(field, int64(number))
		}
	})
	return message{}.bytes(1, out.bytes(8, message{}.number(1, 90))), nil
}

func (c *cloud) price(_ context.Context, request message) (message, error) {
	start, _ := request.find(4)
	end, _ := request.find(5)
	_, from := start.find(1)
	_, to := end.find(1)
	return message{}.double(1, 0.25*float64(to-from)/3600), nil
}

// expander writes its last request into its file, a line for each option, pod and node, and keeps
// the options with the fewest nodes. If there is an option of the group "changed", it also returns
// this group with another count, and a group that is not in the request.
type expander struct {
	generation string
	file       string
}

func pairs[V any](m map[string]V, separator string, text func(V) string) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, key+separator+text(m[key]))
	}
	return strings.Join(out, " ")
}

func texts(m map[string]string) string { return pairs(m, "=", func(s string) string { return s }) }

func amounts(list v1.ResourceList) string {
	byName := map[string]resource.Quantity{}
	for name, amount := range list {
		byName[string(name)] = amount
	}
	return pairs(byName, "=", func(q resource.Quantity) string { return q.String() })
}

func termText(term v1.NodeSelectorTerm) string {
	var out []string
	for _, each := range append(term.MatchExpressions, term.MatchFields...) {
		out = append(out, fmt.Sprintf("%s %s %s", each.Key, each.Operator, strings.Join(each.Values, ",")))
	}
	return strings.Join(out, " and ")
}

func affinityText(affinity *v1.Affinity) string {
	if affinity == nil {
		return ""
	}
	var out []string
	if required := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		for _, term := range required.NodeSelectorTerms {
			out = append(out, termText(term))
		}
	}
	for _, preferred := range affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
		out = append(out, fmt.Sprintf("%d %s", preferred.Weight, termText(preferred.Preference)))
	}
	return strings.Join(out, " or ")
}

func podLine(bytes []byte) string {
	var pod v1.Pod
	if err := pod.Unmarshal(bytes); err != nil {
		return err.Error()
	}
	var tolerations []string
	for _, t := range pod.Spec.Tolerations {
		tolerations = append(tolerations, fmt.Sprintf("%s %s %s %s", t.Key, t.Operator, t.Value, t.Effect))
	}
	owner := ""
	if of := metav1.GetControllerOf(&pod); of != nil {
		owner = of.Kind + "/" + of.Name
	}
	return strings.Join([]string{
		"pod " + pod.Namespace + "/" + pod.Name, owner, texts(pod.Labels), texts(pod.Annotations),
		amounts(pod.Spec.Containers[0].Resources.Requests), texts(pod.Spec.NodeSelector), affinityText(pod.Spec.Affinity),
		strings.Join(tolerations, " "), fmt.Sprintf("%s %d", pod.Spec.SchedulerName, *pod.Spec.Priority),
	}, " | ")
}

func nodeLine(id string, bytes []byte) string {
	var node v1.Node
	if err := node.Unmarshal(bytes); err != nil {
		return err.Error()
	}
	var taints []string
	for _, t := range node.Spec.Taints {
		taints = append(taints, t.ToString())
	}
	return strings.Join([]string{
		"node " + id + " " + node.Name, texts(node.Labels), texts(node.Annotations), strings.Join(taints, " "),
		amounts(node.Status.Capacity), amounts(node.Status.Allocatable),
	}, " | ")
}

func (e *expander) lines(request message) []string {
	pods, nodes := protowire.Number(5), protowire.Number(3)
	if e.generation == "old" {
		pods, nodes = 4, 2
	}
	var out []string
	byGroup := map[string][]byte{}
	request.each(func(field protowire.Number, bytes []byte, _ uint64) {
		if field == nodes {
			id, _ := message(bytes).find(1)
			byGroup[string(id)], _ = message(bytes).find(2)
		}
		if field != 1 {
			return
		}
		id, _ := message(bytes).find(1)
		_, count := message(bytes).find(2)
		debug, _ := message(bytes).find(3)
		out = append(out, fmt.Sprintf("option %s | %d | %s", id, count, debug))
		message(bytes).each(func(field protowire.Number, pod []byte, _ uint64) {
			if field == pods {
				out = append(out, podLine(pod))
			}
		})
	})
	for _, id := range slices.Sorted(maps.Keys(byGroup)) {
		out = append(out, nodeLine(id, byGroup[id]))
	}
	return out
}

func (e *expander) bestOptions(ctx context.Context, request message) (message, error) {
	options := map[string]message{}
	fewest := int64(math.MaxInt64)
	request.each(func(field protowire.Number, bytes []byte, _ uint64) {
		if field == 1 {
			id, _ := message(bytes).find(1)
			_, count := message(bytes).find(2)
			options[string(id)], fewest = bytes, min(fewest, count)
		}
	})
	if options["broken"] != nil {
		return nil, status.Error(codes.Internal, "no prices")
	}
	if options["slow"] != nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := os.WriteFile(e.file, []byte(strings.Join(e.lines(request), "\n")+"\n"), 0o600); err != nil {
		return nil, err
	}
	var reply message
	for _, id := range slices.Sorted(maps.Keys(options)) {
		if _, count := options[id].find(2); count == fewest {
			reply = reply.bytes(1, options[id])
		}
	}
	if options["changed"] != nil {
		reply = reply.bytes(1, message{}.text(1, "changed").number(2, 99)).bytes(1, message{}.text(1, "elsewhere"))
	}
	return reply, nil
}

type call func(context.Context, message) (message, error)

func (c *cloud) service(isBare bool) *grpc.ServiceDesc {
	calls := map[string]call{
		"Refresh":                     func(context.Context, message) (message, error) { return nil, nil },
		"NodeGroups":                  c.groups,
		"NodeGroupTargetSize":         c.targetSize,
		"NodeGroupNodes":              c.nodes,
		"NodeGroupIncreaseSize":       c.increase,
		"NodeGroupDecreaseTargetSize": c.decrease,
		"NodeGroupDeleteNodes":        c.remove,
	}
	if !isBare {
		calls["NodeGroupTemplateNodeInfo"] = c.template
		calls["NodeGroupGetOptions"] = c.options
		calls["PricingNodePrice"] = c.price
	}
	return describe("clusterautoscaler.cloudprovider.v1.externalgrpc.CloudProvider", calls, &c.mutex)
}

func describe(service string, calls map[string]call, mutex *sync.Mutex) *grpc.ServiceDesc {
	out := grpc.ServiceDesc{ServiceName: service, HandlerType: (*any)(nil)}
	for name, answer := range calls {
		out.Methods = append(out.Methods, grpc.MethodDesc{MethodName: name, Handler: handler(name, answer, mutex)})
	}
	return &out
}

func handler(name string, answer call, mutex *sync.Mutex) grpc.MethodHandler {
	return func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var request message
		if err := decode(&request); err != nil {
			return nil, err
		}
		// These two may wait until the deadline and change nothing, so they do not take the mutex.
		if name != "NodeGroupTargetSize" && name != "BestOptions" {
			mutex.Lock()
			defer mutex.Unlock()
		}
		reply, err := answer(ctx, request)
		return &reply, err
	}
}

func main() {
	c := &cloud{
		generation: os.Args[2],
		ids:        []string{"web", "sold-out", "broken"},
		machines:   map[string][]string{"web": {"m-1", "m-2"}},
		requested:  map[string]int64{"sold-out": 1},
	}
	if slices.Contains(os.Args, "--slow") {
		c.ids = append(c.ids, "slow")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := grpc.NewServer(grpc.ForceServerCodec(codec{}))
	server.RegisterService(c.service(slices.Contains(os.Args, "--bare")), c)
	e := &expander{generation: os.Args[2], file: os.Args[1] + ".asked"}
	server.RegisterService(describe("grpcplugin.Expander", map[string]call{"BestOptions": e.bestOptions}, nil), e)
	port := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	if err := os.WriteFile(os.Args[1]+".part", []byte(port), 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(os.Args[1]+".part", os.Args[1]); err != nil {
		panic(err)
	}
	panic(server.Serve(listener))
}
