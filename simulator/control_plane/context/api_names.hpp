/// The names of the API server that controllers use all the time, without its prefix.
#pragma once

#include "simulator/api_server/object_store.hpp"

namespace capstan::simulator::control_plane {

using api_server::ApiObject;
using api_server::Change;
using api_server::ChangeType;
using api_server::KindPtr;
using api_server::ObjectPart;
using api_server::ResourceKind;

using api_server::annotation_of;
using api_server::find_condition;
using api_server::find_object;
using api_server::has_condition;
using api_server::integer_at;
using api_server::is_true_at;
using api_server::json_view;
using api_server::label_of;
using api_server::list_at;
using api_server::make_object;
using api_server::name_of;
using api_server::namespace_of;
using api_server::object_key;
using api_server::set_value;
using api_server::text_at;
using api_server::uid_of;

}  // namespace capstan::simulator::control_plane
