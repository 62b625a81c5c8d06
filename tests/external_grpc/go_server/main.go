// go_server PORT_FILE old|new [--bare] [--slow]: what ../server is, on grpc-go, with nodes that Kubernetes' own marshaller writes.
// Messages are read and written field by field, and nothing else of this source tree is used.
package main

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// message is the bytes of one.
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

// find gives the last field of that number.
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

// options repeats the defaults with a threshold of 0, as proto3 leaves it out, and one duration in place of two.
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
	out := grpc.ServiceDesc{
		ServiceName: "clusterautoscaler.cloudprovider.v1.externalgrpc.CloudProvider",
		HandlerType: (*any)(nil),
	}
	for name, answer := range calls {
		out.Methods = append(out.Methods, grpc.MethodDesc{MethodName: name, Handler: c.handler(name, answer)})
	}
	return &out
}

func (c *cloud) handler(name string, answer call) grpc.MethodHandler {
	return func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var request message
		if err := decode(&request); err != nil {
			return nil, err
		}
		// The one that waits changes nothing.
		if name != "NodeGroupTargetSize" {
			c.mutex.Lock()
			defer c.mutex.Unlock()
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
	port := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	if err := os.WriteFile(os.Args[1]+".part", []byte(port), 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(os.Args[1]+".part", os.Args[1]); err != nil {
		panic(err)
	}
	panic(server.Serve(listener))
}
